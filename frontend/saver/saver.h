// Saver: saves variables in checkpoints and restores them (tf.train.Saver).
//
//   Saver saver(scope);                                        // all global variables
//   …
//   StatusOr<std::string> saved = saver.Save(session, "/tmp/train/model.ckpt", step);
//   Status restored = saver.Restore(session, *LatestCheckpoint("/tmp/train"));
//
// Restore takes what tf.train.Checkpoint wrote, too: variables are found by the names that they
// had.
//
// The constructor adds "save/SaveV2", "save/RestoreV2", "save/Assign", "save/restore_all"… to the
// graph, node for node as TensorFlow does, so that either side can run the other's graph. Build it
// after all variables. A variable is saved under its name, or under the one that a map gives it:
//
//   Saver averages(scope, {{"w/ExponentialMovingAverage", w}});  // restores w from its average
//
// The parts of a variable that is cut (variable.h) are slices of one tensor, under the name of the
// whole: a checkpoint can be restored into another number of parts, or none.
//
// Save writes "PREFIX-STEP.index" and ".data-…" (TensorBundle) and ".meta" (the graph, collections
// and this saver), then lists it in the directory's `checkpoint` file and removes what is more than
// `max_to_keep`. Files are written aside, brought to the disk and renamed: whoever is killed, or
// meets a full disk, leaves the old checkpoint, also where it is saved over. From its first save on
// a saver keeps other processes from saving under the same path (writer_lock.h).
//
// SaveInBackground returns as soon as the values are held fast, which takes no copy
// (variable_snapshot.h), and writes the same files, makes them durable, lists them and removes old
// ones on a thread of its own while training goes on:
//
//   saver.SaveInBackground(session, "/tmp/train/model.ckpt", step);   // a step may follow at once
//   …
//   Status saved = saver.Wait();                                      // whether all is on the disk
//
// One checkpoint at most is being written. Save, SaveInBackground and Restore wait for it first.
// Its error comes out of the next Save, SaveInBackground or Wait, once; the first two then save
// nothing. The last share of a saver to go waits too and prints an error that nobody has asked for.
//
// Ownership: shares the graph; a copy shares the list of checkpoints and what is being written. The
// session may go while a checkpoint is being written. Thread safety: one thread at a time. Errors:
// building, kept in the scope. Save: those of files, FAILED_PRECONDITION for a path that another
// process saves under. Restore: NOT_FOUND for a prefix without checkpoint, INVALID_ARGUMENT listing
// every variable that is missing or has another shape or type, all at once; nothing is then
// restored. Wait: DEADLINE_EXCEEDED.
#ifndef WARPBEAM_FRONTEND_SAVER_SAVER_H_
#define WARPBEAM_FRONTEND_SAVER_SAVER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/client_session.h"
#include "frontend/saver/checkpoint_state.h"
#include "frontend/saver/saved_variable.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

class BackgroundSaves;  // frontend/saver/background_saves.h
class KeptCheckpoints;  // frontend/saver/kept_checkpoints.h
class WriterLock;       // frontend/saver/writer_lock.h

struct SaverOptions {
  // How many checkpoints stay; 0: all.
  SaverOptions& max_to_keep(int value) {
    max_to_keep_value = value;
    return *this;
  }
  // One of each so many hours stays for good.
  SaverOptions& keep_checkpoint_every_n_hours(double value) {
    keep_hours = value;
    return *this;
  }
  SaverOptions& name(std::string value) {
    name_value = std::move(value);
    return *this;
  }
  // A part of the checkpoint for each device, written beside each other.
  SaverOptions& sharded(bool value) {
    is_sharded = value;
    return *this;
  }
  // Steps in file names have eight digits, so that names sort as steps do.
  SaverOptions& pad_step_number(bool value) {
    pads_step = value;
    return *this;
  }

  int max_to_keep_value = 5;
  double keep_hours = 10000;
  std::string name_value = "save";
  bool is_sharded = false;
  bool pads_step = false;
};

struct SaveOptions {
  bool write_meta_graph = true;
  bool write_state = true;  // the `checkpoint` file
  std::string state_file = "checkpoint";
};

// What a MetaGraph says of a saver (tensorflow.SaverDef).
struct SaverNames {
  std::string filename_tensor = "save/Const:0";
  std::string save_tensor = "save/control_dependency:0";
  std::string restore_op = "save/restore_all";
};

class Saver {
 public:
  explicit Saver(ScopeRef scope, const SaverOptions& options = SaverOptions());
  Saver(ScopeRef scope, const std::vector<Variable>& variables,
        const SaverOptions& options = SaverOptions());
  // By the names that they have in checkpoints.
  Saver(ScopeRef scope, const std::map<std::string, Variable>& variables,
        const SaverOptions& options = SaverOptions());
  // For a graph that has the saver's nodes already, such as an imported one.
  Saver(const Scope& scope, SaverNames names, const SaverOptions& options);

  // The checkpoint's prefix: `path`, or "PATH-STEP".
  StatusOr<std::string> Save(ClientSession& session, const std::string& path,
                             std::optional<int64_t> global_step = std::nullopt,
                             const SaveOptions& options = SaveOptions());
  // With the value that the variable has in the session as the step.
  StatusOr<std::string> Save(ClientSession& session, const std::string& path,
                             const Variable& global_step,
                             const SaveOptions& options = SaveOptions());
  // The same, but the checkpoint is there only after Wait; with save nodes of version 1 at once.
  StatusOr<std::string> SaveInBackground(ClientSession& session, const std::string& path,
                                         std::optional<int64_t> global_step = std::nullopt,
                                         const SaveOptions& options = SaveOptions());
  bool IsSaving() const;
  // Until nothing is being written; 0: without limit. The error that nobody was told yet.
  Status Wait(double timeout_secs = 0);
  // The same without limit; an error stays to be told.
  void WaitUntilIdle() const;
  Status Restore(ClientSession& session, const std::string& prefix);

  // Those that this saver has written and that are still there, the oldest first.
  std::vector<SavedCheckpoint> last_checkpoints() const;
  // Goes on with the list of an earlier run, so that its checkpoints count as kept.
  void RecoverLastCheckpoints(const CheckpointState& state);
  void SetLastCheckpoints(std::vector<SavedCheckpoint> all);

  const SaverNames& names() const { return names_; }
  const SaverOptions& options() const { return options_; }
  // As a serialized tensorflow.SaverDef.
  std::string Serialize() const;
  static StatusOr<Saver> Parse(const Scope& scope, const std::string& bytes);

 private:
  // What is to be written beside the variables, and where.
  struct Target {
    std::string prefix;
    std::shared_ptr<WriterLock> lock;
    std::shared_ptr<const std::string> graph;  // the start of its MetaGraph; null: none
    std::string collections;                   // the rest of it
  };
  void Build(const Scope& scope, std::vector<SavedVariable> variables);
  StatusOr<Target> Prepare(ClientSession& session, const std::string& path,
                           std::optional<int64_t> global_step, const SaveOptions& options);
  // What follows the variables.
  static Status Finish(const Target& target, const SaveOptions& options, KeptCheckpoints& kept);
  Status CheckFits(const std::string& prefix) const;

  Scope scope_;
  SaverOptions options_;
  SaverNames names_;
  std::vector<SavedVariable> variables_;  // empty where only the nodes are known
  std::map<std::string, std::shared_ptr<WriterLock>> locks_;  // by the path of Save
  std::shared_ptr<const std::string> graph_bytes_;            // of a graph that is final
  std::shared_ptr<KeptCheckpoints> kept_;
  std::shared_ptr<BackgroundSaves> background_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SAVER_SAVER_H_
