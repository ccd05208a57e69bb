// SessionRunHook: code that runs around every step of a MonitoredSession
// (tf.train.SessionRunHook).
//
//   class Beep : public SessionRunHook {
//    public:
//     Status AfterRun(RunContext& context, const RunValues&) override {
//       if (++steps_ == 100) context.RequestStop();
//       return OkStatus();
//     }
//    private:
//     int steps_ = 0;
//   };
//
// Order: Begin (the graph may still grow), AfterCreateSession (once for every session, also one
// made again after a lost machine), then for each step BeforeRun, the step, AfterRun; End, unless
// the session failed. What BeforeRun asks for runs in the same step as what the program asks for.
//
// Ownership: sessions share their hooks. Thread safety: one thread at a time. Errors: any of a hook
// is an error of the session.
#ifndef WARPBEAM_FRONTEND_MONITORED_SESSION_RUN_HOOK_H_
#define WARPBEAM_FRONTEND_MONITORED_SESSION_RUN_HOOK_H_

#include <vector>

#include "frontend/client_session.h"
#include "frontend/training/coordinator.h"

namespace warpbeam {

struct RunMetadata;  // runtime/session/session.h

namespace frontend {
namespace train {

// What the program asked the step for, and what hooks may say about it.
class RunContext {
 public:
  RunContext(ClientSession& session, const ClientSession::Feeds& feeds,
             const std::vector<Fetch>& fetches)
      : session_(session), feeds_(feeds), fetches_(fetches) {}

  ClientSession& session() { return session_; }
  const ClientSession::Feeds& feeds() const { return feeds_; }
  const std::vector<Fetch>& fetches() const { return fetches_; }
  // No further step runs.
  void RequestStop() { stop_requested_ = true; }
  bool stop_requested() const { return stop_requested_; }

 private:
  ClientSession& session_;
  const ClientSession::Feeds& feeds_;
  const std::vector<Fetch>& fetches_;
  bool stop_requested_ = false;
};

// What a hook adds to a step.
struct RunArgs {
  std::vector<Fetch> fetches;
  ClientSession::Feeds feeds;
  bool trace = false;  // fill RunValues::metadata
};

struct RunValues {
  std::vector<Tensor> results;            // of this hook's fetches
  const ClientSession::Feeds* feeds;      // of the whole step
  const RunMetadata* metadata = nullptr;  // null unless some hook asked for a trace
};

class SessionRunHook {
 public:
  virtual ~SessionRunHook() = default;

  virtual Status Begin(const Scope&) { return OkStatus(); }
  virtual Status AfterCreateSession(ClientSession&, Coordinator&) { return OkStatus(); }
  virtual StatusOr<RunArgs> BeforeRun(RunContext& context);
  virtual Status AfterRun(RunContext&, const RunValues&) { return OkStatus(); }
  virtual Status End(ClientSession&) { return OkStatus(); }
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_SESSION_RUN_HOOK_H_
