#include "frontend/training/lamb.h"

#include <algorithm>

#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// |variable| / |direction|, or 1 where one of them is 0. Both norms are too small by sqrt(2).
Output TrustRatio(const Scope& scope, const Variable& variable, const Output& direction) {
  const Scope inside = scope.NameScope("trust_ratio");
  const Output above = BuildOutput(inside, "Sqrt", {BuildOutput(inside, "L2Loss", {variable})});
  const Output below = BuildOutput(inside, "Sqrt", {BuildOutput(inside, "L2Loss", {direction})});
  const Output ratio = Divide(inside.Named("truediv"), above, below);
  const Output one = Constant(inside.Named("one"), 1, variable.dtype());
  const Output moves = BuildOutput(inside, "Select", {Greater(inside, below, 0), ratio, one});
  return BuildOutput(inside, "Select", {Greater(inside, above, 0), moves, one});
}

}  // namespace

Output LambOptimizer::Grow(const Scope& scope, const Variable& slot, const Output& decay,
                           const Output& values) {
  const Output weight = Subtract(scope.Named("sub"), 1.0, decay);
  const Output added = Multiply(scope.Named("mul"), values, weight);
  const Output decayed = Multiply(scope.Named("mul"), slot, decay);
  const Output grown = Add(scope.Named("add"), decayed, added);
  return BuildOutput(scope, "Assign", {slot, grown}, UpdateAttrs());
}

Operation LambOptimizer::Step(const Scope& scope, const Output& m, const Output& v,
                              const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const Output rest1 = Subtract(scope.Named("sub"), 1.0, cast(beta1_power_));
  const Output rest2 = Subtract(scope.Named("sub"), 1.0, cast(beta2_power_));
  const Output mean = Divide(scope.Named("truediv"), m, rest1);
  const Output square = Divide(scope.Named("truediv"), v, rest2);
  const Output root = BuildOutput(scope, "Sqrt", {square});
  const Output length = Add(scope.Named("add"), root, cast(epsilon_));
  Output direction = Divide(scope.Named("truediv"), mean, length);
  const bool decays = decay_variables_.empty() || ContainsVariable(decay_variables_, variable);
  if (decays && weight_decay_ != 0) {
    const Output decay = Multiply(scope.Named("mul"), weight_decay_, variable);
    direction = Add(scope.Named("add"), direction, decay);
  }
  const Output rate =
      Multiply(scope.Named("mul"), cast(rate_), TrustRatio(scope, variable, direction));
  return Assign(scope, "AssignSub", variable, Multiply(scope.Named("mul"), rate, direction));
}

Operation LambOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                    const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const Output square = Multiply(scope.Named("mul"), gradient, gradient);
  const Output m = Grow(scope, GetSlot(variable, "m"), cast(beta1_), gradient);
  const Output v = Grow(scope, GetSlot(variable, "v"), cast(beta2_), square);
  return Step(scope, m, v, variable);
}

Operation LambOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                     const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const IndexedSlices g = Deduplicate(scope, gradient);
  const Output square = Multiply(scope.Named("mul"), g.values, g.values);
  const Output m = Decay(scope, GetSlot(variable, "m"), cast(beta1_), g.indices, g.values);
  const Output v = Decay(scope, GetSlot(variable, "v"), cast(beta2_), g.indices, square);
  return Step(scope, m, v, variable);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
