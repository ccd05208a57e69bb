// The checkpoints of a directory (tf.train.latest_checkpoint, get_checkpoint_state): the file
// `checkpoint` lists those that a Saver keeps and names the newest.
//
//   StatusOr<std::string> newest = LatestCheckpoint("/tmp/train");   // …/model.ckpt-1000
//   if (newest.ok()) status = saver.Restore(session, *newest);
//
// TensorFlow reads what is written here and the other way round. The file is written aside and
// renamed, so that there is always a whole one. Paths in it may be relative to the directory; they
// come out ready to use.
//
// Ownership: values. Thread safety: two writers of one directory must take turns. Errors: NOT_FOUND
// where there is no such file, DATA_LOSS for one that is not in its form; those of
// runtime/record/file.h.
#ifndef WARPBEAM_FRONTEND_SAVER_CHECKPOINT_STATE_H_
#define WARPBEAM_FRONTEND_SAVER_CHECKPOINT_STATE_H_

#include <string>
#include <vector>

#include "graph/types/status_or.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct SavedCheckpoint {
  std::string prefix;  // what Saver::Restore takes
  double time = 0;     // seconds since 1970
};

struct CheckpointState {
  std::vector<SavedCheckpoint> all;  // the oldest first
  double last_preserved = 0;         // when the last one was saved that is kept for good

  const std::string& latest() const { return all.back().prefix; }
};

StatusOr<CheckpointState> ReadCheckpointState(const std::string& directory,
                                              const std::string& file = "checkpoint");
// `state` must list at least one.
Status WriteCheckpointState(const std::string& directory, const CheckpointState& state,
                            const std::string& file = "checkpoint");

// The newest checkpoint that the directory's list has; NOT_FOUND also where its files are gone.
StatusOr<std::string> LatestCheckpoint(const std::string& directory,
                                       const std::string& file = "checkpoint");

bool CheckpointExists(const std::string& prefix);
// When their files were written last, in seconds since 1970; of those that are there.
std::vector<double> GetCheckpointMtimes(const std::vector<std::string>& prefixes);
// Its index, data and MetaGraph; what is not there is no error.
Status RemoveCheckpoint(const std::string& prefix);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_CHECKPOINT_STATE_H_
