#include "frontend/training/adadelta.h"

#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {

void AdadeltaOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "accum", ZerosInitializer());
    MakeSlot(scope, variable, "accum_update", ZerosInitializer());
  }
}

void AdadeltaOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("lr"), learning_rate_);
  rho_ = AsOutput(scope.Named("rho"), rho_value_);
  epsilon_ = AsOutput(scope.Named("epsilon"), epsilon_value_);
}

Operation AdadeltaOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                        const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  return BuildOp(scope, "ApplyAdadelta",
                 {variable, GetSlot(variable, "accum"), GetSlot(variable, "accum_update"),
                  cast(rate_), cast(rho_), cast(epsilon_), gradient},
                 UpdateAttrs());
}

Operation AdadeltaOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                         const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyAdadelta",
                 {variable, GetSlot(variable, "accum"), GetSlot(variable, "accum_update"),
                  cast(rate_), cast(rho_), cast(epsilon_), g.values, g.indices},
                 UpdateAttrs());
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
