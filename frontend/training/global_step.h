// The global step: how often the model has been updated (tf.train.get_or_create_global_step).
//
//   Variable step = train::GetOrCreateGlobalStep(scope);        // "global_step", int64
//   Operation train = opt.Minimize(scope, loss, step);
//
// Ownership: the graph keeps it, in GraphKeys::kGlobalStep. Thread safety: that of the Scope.
// Errors: ALREADY_EXISTS for creating a second one; kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_GLOBAL_STEP_H_
#define WARPBEAM_FRONTEND_TRAINING_GLOBAL_STEP_H_

#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

// Not valid when there is none.
Variable GetGlobalStep(const Scope& scope);
Variable CreateGlobalStep(ScopeRef scope);
Variable GetOrCreateGlobalStep(ScopeRef scope);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_GLOBAL_STEP_H_
