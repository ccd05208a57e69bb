// SyncReplicasHook: what a MonitoredSession needs for workers that train in step with each other
// (SyncReplicasOptimizer.make_session_run_hook).
//
//   SyncReplicasOptimizer sync(&opt, /*replicas_to_aggregate=*/2);
//   Operation train = sync.Minimize(scope, loss, global_step);
//   MonitoredTrainingOptions options;
//   options.is_chief = task == 0;
//   options.hooks = {std::make_shared<SyncReplicasHook>(&sync, options.is_chief)};
//
// It brings each new session to the global step. The chief's puts tokens into the queue and starts
// the thread that applies gradients. That of another worker gives tokens back when the worker ends
// well, so that others are not left waiting for a token, in their last step, that its gradient
// would have earned them; a worker that fails gives none back.
//
// Ownership: the optimizer must live until the session has been made. Thread safety: that of hooks.
// Errors: FAILED_PRECONDITION where the optimizer was not used before, and where the model has
// variables without a value; those of the session.
#ifndef WARPBEAM_FRONTEND_MONITORED_SYNC_REPLICAS_HOOK_H_
#define WARPBEAM_FRONTEND_MONITORED_SYNC_REPLICAS_HOOK_H_

#include <optional>

#include "frontend/monitored/session_run_hook.h"
#include "frontend/training/sync_replicas_optimizer.h"

namespace warpbeam {
namespace frontend {
namespace train {

class SyncReplicasHook final : public SessionRunHook {
 public:
  // `num_tokens` as SyncReplicasOptimizer::InitTokensOp takes it.
  SyncReplicasHook(SyncReplicasOptimizer* optimizer, bool is_chief,
                   std::optional<int> num_tokens = std::nullopt)
      : optimizer_(*optimizer), is_chief_(is_chief), num_tokens_(num_tokens) {}

  Status Begin(const Scope& scope) override;
  Status AfterCreateSession(ClientSession& session, Coordinator& coordinator) override;
  Status End(ClientSession& session) override;

 private:
  SyncReplicasOptimizer& optimizer_;
  const bool is_chief_;
  const std::optional<int> num_tokens_;
  Output ready_op_;
  Operation local_init_op_, tokens_op_;
  QueueRunner runner_;  // the chief's
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_SYNC_REPLICAS_HOOK_H_
