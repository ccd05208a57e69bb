// The graph's global step as hooks use it.
//
//   WB_ASSIGN_OR_RETURN(step_, GlobalStepOf(scope, "CheckpointSaverHook"));   // in Begin
//   WB_ASSIGN_OR_RETURN(const int64_t now, ReadStep(session, step_));
//
// Thread safety: that of the Scope, of the session. Errors: FAILED_PRECONDITION where the graph has
// no global step, naming who needs it.
#ifndef WARPBEAM_FRONTEND_MONITORED_GLOBAL_STEP_READER_H_
#define WARPBEAM_FRONTEND_MONITORED_GLOBAL_STEP_READER_H_

#include <string_view>

#include "frontend/client_session.h"

namespace warpbeam {
namespace frontend {
namespace train {

StatusOr<Variable> GlobalStepOf(const Scope& scope, std::string_view who);
StatusOr<int64_t> ReadStep(ClientSession& session, const Variable& step);
// An int32 or int64 scalar.
int64_t StepValue(const Tensor& value);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_GLOBAL_STEP_READER_H_
