// Supervisor: a training program that can be killed and started again (tf.train.Supervisor), with
// threads that save and summarise beside the training loop. MonitoredSession does the same with
// hooks, between steps.
//
//   SupervisorOptions options;
//   options.logdir = "/tmp/train";
//   Supervisor supervisor(scope, options);
//   Status status = supervisor.ManagedSession(SessionConfig(), [&](ClientSession& session) {
//     while (!supervisor.ShouldStop()) WB_RETURN_IF_ERROR(session.Run({train_op}).status());
//     return Status();
//   });
//
// What is not given is taken from the graph's collections or built, as TensorFlow does; the graph
// is read only then. Where a signal ended the loop (options.stop_on_signals), Stop saves once more.
//
// Ownership: owns threads and event file; the session must outlive Stop. Thread safety: ShouldStop
// and RequestStop from any thread. Errors: of building, kept and returned by every call; those of
// SessionManager; Stop gives the first error of any thread.
#ifndef WARPBEAM_FRONTEND_MONITORED_SUPERVISOR_H_
#define WARPBEAM_FRONTEND_MONITORED_SUPERVISOR_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frontend/monitored/session_manager.h"
#include "frontend/monitored/stop_signals.h"
#include "frontend/summary/file_writer.h"
#include "frontend/training/coordinator.h"

namespace warpbeam {
namespace frontend {
namespace train {

struct SupervisorOptions {
  // Others than the chief wait until the model is ready, and write nothing.
  bool is_chief = true;
  std::string logdir;  // empty: nothing is restored, saved or summarised
  Operation init_op, local_init_op;
  ClientSession::Feeds init_feeds;
  std::function<Status(ClientSession&)> init_fn;
  Output ready_op, ready_for_local_init_op;
  Output summary_op;
  Variable global_step;
  std::shared_ptr<Saver> saver;
  std::string checkpoint_basename = "model.ckpt";
  double save_summaries_secs = 120;  // 0: never
  double save_model_secs = 600;      // 0: never
  double recovery_wait_secs = 30;
  double stop_grace_secs = 120;
  bool stop_on_signals = false;
};

class Supervisor {
 public:
  explicit Supervisor(ScopeRef scope, const SupervisorOptions& options = SupervisorOptions());
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Whether it could be set up.
  const Status& status() const { return status_; }

  // A session with the model ready, services and queue runners started.
  StatusOr<std::unique_ptr<ClientSession>> PrepareOrWaitForSession(
      const SessionConfig& config = SessionConfig(), double max_wait_secs = 7200,
      bool start_standard_services = true);
  // The same, then `body`, Stop, and the session's end. The first error of them all.
  Status ManagedSession(const SessionConfig& config,
                        const std::function<Status(ClientSession&)>& body);

  // Threads of their own; all end at Stop.
  void StartStandardServices(ClientSession& session);
  Status StartQueueRunners(ClientSession& session);
  // Calls `body` every `interval_secs`, at once for the first time, until the end or its first
  // error; 0: without pause.
  void Loop(double interval_secs, std::string name, std::function<Status()> body);

  bool ShouldStop() const;
  void RequestStop(const Status& error = Status()) { coordinator_.RequestStop(error); }
  // Ends the threads and closes the event file, not the session.
  Status Stop();

  Coordinator& coordinator() { return coordinator_; }
  const std::shared_ptr<Saver>& saver() const { return options_.saver; }
  const Output& summary_op() const { return options_.summary_op; }
  // Null unless this is the chief and there is a logdir.
  summary::FileWriter* summary_writer() const { return writer_.get(); }
  // "LOGDIR/model.ckpt".
  std::string save_path() const;
  // What a step fetched from `summary_op`, for the event file.
  Status SummaryComputed(ClientSession& session, const Tensor& summary);

 private:
  Status SetUp();
  Status FindOps();
  Status Save(ClientSession& session);
  Status Summarize(ClientSession& session);
  StatusOr<int64_t> StepOf(ClientSession& session) const;

  const Scope scope_;
  SupervisorOptions options_;
  Status status_;
  std::unique_ptr<StopOnSignals> signals_;
  std::shared_ptr<summary::FileWriter> writer_;
  std::mutex saving_;  // the checkpoint thread and Stop take turns
  ClientSession* session_ = nullptr;
  Coordinator coordinator_;  // ends its threads before anything that they use goes
};

// tf.train.basic_train_loop: runs `train_step` in managed sessions until the supervisor should
// stop; after ABORTED and UNAVAILABLE, a lost machine, in a new session.
Status BasicTrainLoop(Supervisor& supervisor,
                      const std::function<Status(ClientSession&)>& train_step,
                      const SessionConfig& config = SessionConfig());

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_SUPERVISOR_H_
