// MonitoredSession: a session that lasts (tf.train.MonitoredTrainingSession): it is restored from
// the newest checkpoint or initialised, starts the queue runners, runs hooks around every step,
// saves and summarises by itself, and is made again when a machine was lost.
//
//   MonitoredTrainingOptions options;
//   options.checkpoint_dir = "/tmp/train";
//   options.hooks = {StopAtStepHook::AtLastStep(10000), std::make_shared<NanTensorHook>(loss)};
//   options.stop_on_signals = true;                               // Ctrl-C saves and ends
//   auto session = MonitoredTrainingSession(scope, options);
//   if (!session.ok()) return session.status();
//   while (!(*session)->ShouldStop()) {
//     auto out = (*session)->Run({train_op, loss});
//     if (!out.ok()) break;
//   }
//   Status status = (*session)->Close();        // the last checkpoint; the first error, if any
//
// Killed at any moment and started again, the program goes on at the last checkpoint.
//
// An error of a step is returned by Run and makes ShouldStop true; Close returns it again, without
// running the hooks' End. OUT_OF_RANGE, the end of the input, is a clean end. ABORTED and
// UNAVAILABLE, a lost machine, make a new session from the checkpoint, and the step runs there;
// that is tried every `recovery_wait_secs` until the machine is back, for `max_wait_secs` at most.
//
// Ownership: owns session, threads and hooks' shares. Thread safety: Run from one thread at a time.
// Errors: of building, of checkpoints (nothing is initialised anew over a damaged one), of hooks;
// DEADLINE_EXCEEDED where a session does not get ready within `max_wait_secs`.
#ifndef WARPBEAM_FRONTEND_MONITORED_MONITORED_SESSION_H_
#define WARPBEAM_FRONTEND_MONITORED_MONITORED_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/monitored/scaffold.h"
#include "frontend/monitored/session_manager.h"
#include "frontend/monitored/session_run_hook.h"
#include "frontend/monitored/stop_signals.h"

namespace warpbeam {
namespace frontend {
namespace train {

using Hooks = std::vector<std::shared_ptr<SessionRunHook>>;

struct MonitoredTrainingOptions {
  SessionConfig config;
  // Others than the chief wait until the model is ready, and write nothing.
  bool is_chief = true;
  std::string checkpoint_dir;  // empty: nothing is restored or saved
  std::shared_ptr<Scaffold> scaffold;
  Hooks hooks, chief_only_hooks;
  // How often; of a pair the one that is not 0. Both 0: never. Unset: 600 s.
  std::optional<double> save_checkpoint_secs;
  std::optional<int64_t> save_checkpoint_steps;
  // Steps go on while a checkpoint is written. Close waits for it, so many seconds (0: as it
  // takes); DEADLINE_EXCEEDED then, and the last whole one stays.
  bool save_in_background = true;
  double save_grace_secs = 600;
  std::optional<int64_t> save_summaries_steps;  // unset: every 100 steps
  std::optional<double> save_summaries_secs;
  int64_t log_step_count_steps = 100;  // 0: never
  std::string summary_dir;             // empty: checkpoint_dir
  double stop_grace_period_secs = 120;
  double max_wait_secs = 7200;
  double recovery_wait_secs = 30;
  // SIGINT and SIGTERM end training as StopAtStepHook does; a second one ends the process.
  bool stop_on_signals = false;
  // Whether a lost machine makes a new session; else it ends training, as other errors do.
  bool recovers = true;
  // Makes the sessions below; null: ClientSession(scope, config).
  std::function<std::unique_ptr<ClientSession>()> make_session;
};

class MonitoredSession;

// What a step function gets (MonitoredSession.StepContext).
class StepContext {
 public:
  // Without hooks; another one after RunWithHooks met a lost machine.
  ClientSession& session() const;
  // As MonitoredSession::Run.
  StatusOr<std::vector<Tensor>> RunWithHooks(const ClientSession::Feeds& feeds,
                                             const std::vector<Fetch>& fetches);
  void RequestStop();

 private:
  friend class MonitoredSession;
  explicit StepContext(MonitoredSession& owner) : owner_(owner) {}

  MonitoredSession& owner_;
};

class MonitoredSession {
 public:
  ~MonitoredSession();
  MonitoredSession(const MonitoredSession&) = delete;
  MonitoredSession& operator=(const MonitoredSession&) = delete;

  StatusOr<std::vector<Tensor>> Run(const std::vector<Fetch>& fetches);
  // FAILED_PRECONDITION when ShouldStop; INVALID_ARGUMENT where a hook feeds what is fed already.
  StatusOr<std::vector<Tensor>> Run(const ClientSession::Feeds& feeds,
                                    const std::vector<Fetch>& fetches);
  // Calls `step`, which may run several things with and without hooks. Its error is one of a step:
  // after a lost machine it is called again, from its beginning.
  Status RunStepFn(const std::function<Status(StepContext& context)>& step);
  // A hook asked for it, a step or a thread failed, a signal came, or it is closed.
  bool ShouldStop() const;
  void RequestStop() { stop_requested_ = true; }
  // The hooks' End, the threads' end, the session's. Twice is no error.
  Status Close();

  // The session without hooks, for questions beside the training; null when closed.
  ClientSession* raw_session() const { return session_.get(); }
  const std::shared_ptr<Graph>& graph() const { return scope_.graph(); }

 private:
  friend class StepContext;
  friend StatusOr<std::unique_ptr<MonitoredSession>> MonitoredTrainingSession(
      ScopeRef scope, const MonitoredTrainingOptions& options);

  struct Step;  // one Run

  MonitoredSession(const Scope& scope, const MonitoredTrainingOptions& options);
  Status Start();
  void AddStandardHooks();
  Status MakeSession();
  Status CheckMayRun() const;
  // What follows an error of a step: OK where there is a new session to run it in.
  Status Recover(const Status& error);
  // After a machine was lost, which may take its time to come back.
  Status MakeSessionAnew();
  Status EndThreads();
  Status RunOnce(Step& step);
  Status Prepare(Step& step);
  Status RunTraced(Step& step, std::vector<Tensor>* fetched);

  const Scope scope_;
  MonitoredTrainingOptions options_;
  Hooks hooks_;
  std::unique_ptr<StopOnSignals> signals_;
  std::unique_ptr<ClientSession> session_;
  std::unique_ptr<Coordinator> coordinator_;
  bool stop_requested_ = false;
  bool is_closed_ = false;
  Status failure_;  // the first error of a step or hook
};

StatusOr<std::unique_ptr<MonitoredSession>> MonitoredTrainingSession(
    ScopeRef scope, const MonitoredTrainingOptions& options = MonitoredTrainingOptions());

// tf.train.SingularMonitoredSession: the options' hooks alone, so that nothing is saved or
// summarised by itself, and one session: a lost machine ends training.
StatusOr<std::unique_ptr<MonitoredSession>> SingularMonitoredSession(
    ScopeRef scope, MonitoredTrainingOptions options = MonitoredTrainingOptions());

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_MONITORED_SESSION_H_
