#include "frontend/contrib/lazy_adam.h"

#include "frontend/arrays/gather.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace opt {

Operation LazyAdamOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                         const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const Output beta1 = cast(beta1_), beta2 = cast(beta2_);
  const Output above =
      Multiply(scope, cast(rate_), Sqrt(scope, Subtract(scope, 1.0, cast(beta2_power_))));
  const Output rate = Divide(scope, above, Subtract(scope, 1.0, cast(beta1_power_)));

  // The rows of a moment after the step, and the operation that puts them there.
  struct Moved {
    Output rows;
    Operation update;
  };
  const auto move = [&](const char* slot, const Output& beta, const Output& values) {
    const Variable moment = GetSlot(variable, slot);
    const Output before = Gather(scope, moment, g.indices);
    const Output rows = Add(scope, Multiply(scope, beta, before),
                            Multiply(scope, Subtract(scope, 1.0, beta), values));
    const Operation update =
        BuildOp(scope, "ScatterUpdate", {moment, g.indices, rows}, UpdateAttrs());
    return Moved{rows, update};
  };
  const Moved m = move("m", beta1, g.values);
  const Moved v = move("v", beta2, Square(scope, g.values));
  const Output length = Add(scope, Sqrt(scope, v.rows), cast(epsilon_));
  const Output change = Divide(scope, Multiply(scope, rate, m.rows), length);
  const Operation updated =
      BuildOp(scope, "ScatterSub", {variable, g.indices, change}, UpdateAttrs());
  return Group(scope, {updated, m.update, v.update});
}

}  // namespace opt
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
