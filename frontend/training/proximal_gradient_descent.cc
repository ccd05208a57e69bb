#include "frontend/training/proximal_gradient_descent.h"

#include "frontend/build.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {

void ProximalGradientDescentOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  l1_ = Constant(scope.Named("l1_regularization_strength"), l1_value_);
  l2_ = Constant(scope.Named("l2_regularization_strength"), l2_value_);
}

Operation ProximalGradientDescentOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                                       const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  return BuildOp(scope, "ApplyProximalGradientDescent",
                 {variable, cast(rate_), cast(l1_), cast(l2_), gradient}, UpdateAttrs());
}

Operation ProximalGradientDescentOptimizer::ApplySparse(const Scope& scope,
                                                        const IndexedSlices& gradient,
                                                        const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyProximalGradientDescent",
                 {variable, cast(rate_), cast(l1_), cast(l2_), g.values, g.indices}, UpdateAttrs());
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
