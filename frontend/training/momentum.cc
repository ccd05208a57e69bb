#include "frontend/training/momentum.h"

#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {

void MomentumOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "momentum", ZerosInitializer());
  }
}

void MomentumOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  momentum_ = AsOutput(scope.Named("momentum"), momentum_value_);
}

Operation MomentumOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                        const Variable& variable) {
  return BuildOp(scope, "ApplyMomentum",
                 {variable, GetSlot(variable, "momentum"), Cast(scope, rate_, variable.dtype()),
                  gradient, Cast(scope, momentum_, variable.dtype())},
                 UpdateAttrs().Set("use_nesterov", use_nesterov_));
}

Operation MomentumOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                         const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyMomentum",
                 {variable, GetSlot(variable, "momentum"), Cast(scope, rate_, variable.dtype()),
                  g.values, g.indices, Cast(scope, momentum_, variable.dtype())},
                 UpdateAttrs().Set("use_nesterov", use_nesterov_));
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
