// CheckpointSaverHook: saves the model every so often, at the beginning and at the end
// (tf.train.CheckpointSaverHook).
//
//   options.hooks.push_back(
//       std::make_shared<CheckpointSaverHook>("/tmp/train", Every::Steps(1000)));
//
// Training does not wait for the disk: the values are held fast between two steps and written while
// the next steps run (Saver::SaveInBackground); the next save waits for the one before, and End for
// all. An error ends training at the next step. At the end the file is there, as it is after every
// save with `in_background` off.
//
// MonitoredTrainingSession adds one by itself. Beside the checkpoints "DIR/model.ckpt-STEP" the
// directory gets "graph.pbtxt", and the event file the graph and a mark for every checkpoint.
//
// Ownership: shares saver and listeners. Thread safety: one thread. Errors: those of Saver::Save;
// FAILED_PRECONDITION where the graph has no global step or there is no saver; DEADLINE_EXCEEDED of
// End, which then saves nothing more.
#ifndef WARPBEAM_FRONTEND_MONITORED_CHECKPOINT_SAVER_HOOK_H_
#define WARPBEAM_FRONTEND_MONITORED_CHECKPOINT_SAVER_HOOK_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/monitored/scaffold.h"
#include "frontend/monitored/session_run_hook.h"
#include "frontend/monitored/step_timer.h"
#include "frontend/summary/file_writer.h"

namespace warpbeam {
namespace frontend {
namespace train {

// What is to happen around a save (tf.train.CheckpointSaverListener).
class CheckpointSaverListener {
 public:
  virtual ~CheckpointSaverListener() = default;

  virtual Status Begin(const Scope&) { return OkStatus(); }
  virtual Status BeforeSave(ClientSession&, int64_t) { return OkStatus(); }
  // When the checkpoint of that step is on the disk; in the background that is some steps later.
  // True: training is to stop.
  virtual StatusOr<bool> AfterSave(ClientSession&, int64_t) { return false; }
  virtual Status End(ClientSession&, int64_t) { return OkStatus(); }
};

struct CheckpointSaverOptions {
  std::string basename = "model.ckpt";
  std::shared_ptr<Saver> saver;        // null: that of the scaffold, or of the graph
  std::shared_ptr<Scaffold> scaffold;  // may be null
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners;
  bool in_background = true;
  double save_grace_secs = 600;  // how long End waits for what is being written; 0: as it takes
};

class CheckpointSaverHook : public SessionRunHook {
 public:
  CheckpointSaverHook(const std::string& checkpoint_dir, const Every& every,
                      CheckpointSaverOptions options = CheckpointSaverOptions());

  Status Begin(const Scope& scope) override;
  Status AfterCreateSession(ClientSession& session, Coordinator& coordinator) override;
  StatusOr<RunArgs> BeforeRun(RunContext& context) override;
  Status AfterRun(RunContext& context, const RunValues& values) override;
  Status End(ClientSession& session) override;

 private:
  struct Started {
    int64_t step;
    std::string prefix;
  };
  // Whether a listener wants to stop.
  StatusOr<bool> Save(ClientSession& session, int64_t step);
  // Waits for the save that was started last, 0: without limit, and tells whoever wants to know.
  StatusOr<bool> FinishStarted(ClientSession& session, double timeout_secs);
  StatusOr<bool> TellSaved(ClientSession& session, const Started& saved);
  StatusOr<Saver*> FindSaver();
  Status WriteGraph() const;

  const std::string directory_;
  CheckpointSaverOptions options_;
  StepTimer timer_;
  std::optional<Scope> scope_;
  Variable step_;
  std::shared_ptr<summary::FileWriter> writer_;
  std::optional<Started> started_;  // in the background, not told of yet
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_CHECKPOINT_SAVER_HOOK_H_
