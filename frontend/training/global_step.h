// The global step: how often the model has been updated (tf.train.get_or_create_global_step).
//
//   Variable step = train::GetOrCreateGlobalStep(scope);        // "global_step", int64
//   Operation train = opt.Minimize(scope, loss, step);
//
// Ownership: the graph keeps it, in GraphKeys::kGlobalStep. Thread safety: that of the Scope.
// Errors: ALREADY_EXISTS for creating a second one; kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_GLOBAL_STEP_H_
#define WARPBEAM_FRONTEND_TRAINING_GLOBAL_STEP_H_

#include <cstdint>

#include "frontend/client_session.h"
#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

// Not valid when there is none.
Variable GetGlobalStep(const Scope& scope);
Variable CreateGlobalStep(ScopeRef scope);
Variable GetOrCreateGlobalStep(ScopeRef scope);
// An error of the scope unless `global_step` is an integer scalar.
void AssertGlobalStep(const Scope& scope, const Variable& global_step);
// Its value in the session (tf.train.global_step).
StatusOr<int64_t> GlobalStep(ClientSession& session, const Variable& global_step);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_GLOBAL_STEP_H_
