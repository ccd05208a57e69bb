#include "frontend/variables/regularizers.h"

#include "frontend/build.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

Regularizer L2Regularizer(double scale) {
  return Regularizer([scale](const Scope& scope, const Output& weights) {
    if (!(scale >= 0)) {
      scope.Fail(InvalidArgument("a regularizer's scale must not be negative, got ", scale));
    }
    if (scale == 0 || !scope.ok()) return Output();
    const Scope inside = scope.OpenScope("l2_regularizer");
    const Output factor = Constant(inside.Named("scale"), scale, weights.dtype());
    const Output loss = BuildOutput(inside, "L2Loss", {weights});
    return scope(BuildOutput(inside.Named(inside.name_scope()), "Mul", {factor, loss}));
  });
}

}  // namespace frontend
}  // namespace warpbeam
