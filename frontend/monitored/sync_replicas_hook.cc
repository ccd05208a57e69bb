#include "frontend/monitored/sync_replicas_hook.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {

Status SyncReplicasHook::Begin(const Scope& scope) {
  if (!optimizer_.is_built()) {
    return FailedPrecondition(
        "SyncReplicasHook: call Minimize or ApplyGradients of the optimizer before the session is "
        "made");
  }
  ready_op_ = optimizer_.ready_for_local_init_op();
  local_init_op_ = is_chief_ ? optimizer_.chief_init_op() : optimizer_.local_step_init_op();
  if (is_chief_) {
    tokens_op_ = optimizer_.InitTokensOp(scope, num_tokens_);
    runner_ = optimizer_.chief_queue_runner();
  } else {
    tokens_op_ = optimizer_.LeaveOp(scope);
  }
  return scope.status();
}

Status SyncReplicasHook::AfterCreateSession(ClientSession& session, Coordinator& coordinator) {
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session.Run({ready_op_}));
  const Tensor& missing = fetched[0];
  if (missing.num_elements() > 0) {
    const std::string* first = missing.data<std::string>();
    return FailedPrecondition("SyncReplicasHook: the model is not ready for the local step ('",
                              local_init_op_.name(), "'); variables not initialized: ",
                              absl::StrJoin(first, first + missing.num_elements(), ", "));
  }
  WB_RETURN_IF_ERROR(session.Run({local_init_op_}).status());
  if (!is_chief_) return OkStatus();
  WB_RETURN_IF_ERROR(session.Run({tokens_op_}).status());
  runner_.Start(session.session(), coordinator);
  return OkStatus();
}

Status SyncReplicasHook::End(ClientSession& session) {
  // Where the chief has ended before, the queue is closed and nobody waits.
  if (!is_chief_) session.Run({tokens_op_}).IgnoreError();
  return OkStatus();
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
