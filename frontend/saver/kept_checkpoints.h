// KeptCheckpoints: the list of those that a saver has written and that still count, in memory and
// in the directory's `checkpoint` file, and which of them go when there are too many.
//
//   KeptCheckpoints kept(/*max_to_keep=*/5, /*keep_hours=*/10000);
//   WB_RETURN_IF_ERROR(kept.Add("/tmp/train/model.ckpt-7", "checkpoint"));   // its files are whole
//
// Add lists the new one before older ones go: whoever looks always finds one that is whole.
//
// Ownership: values. Thread safety: any thread; a save in the background adds while the program
// asks. Errors: those of WriteCheckpointState and RemoveCheckpoint.
#ifndef WARPBEAM_FRONTEND_SAVER_KEPT_CHECKPOINTS_H_
#define WARPBEAM_FRONTEND_SAVER_KEPT_CHECKPOINTS_H_

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "frontend/saver/checkpoint_state.h"

namespace warpbeam {
namespace frontend {
namespace train {

class KeptCheckpoints {
 public:
  // `max_to_keep` 0: all. One of each `keep_hours` stays for good.
  KeptCheckpoints(int max_to_keep, double keep_hours)
      : max_to_keep_(max_to_keep), keep_hours_(keep_hours) {}

  std::vector<SavedCheckpoint> all() const;  // the oldest first
  void Recover(std::vector<SavedCheckpoint> all);
  Status Add(const std::string& prefix, const std::string& state_file);

 private:
  Status RemoveOld();  // with mutex_ held

  const int max_to_keep_;
  const double keep_hours_;
  mutable std::mutex mutex_;
  std::vector<SavedCheckpoint> all_;
  std::optional<double> next_preserved_;  // seconds since 1970
  double last_preserved_ = 0;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_KEPT_CHECKPOINTS_H_
