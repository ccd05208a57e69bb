#include "frontend/layers/dropout.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control_flow/cond.h"
#include "frontend/layers/layer_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace layers {

Output Dropout(ScopeRef scope_ref, const Input& inputs, double rate, const Training& training,
               const DropoutOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope layer = OpenLayer(scope, "dropout", Reuse::kInherit);
  const Output x = AsOutput(layer.Named("inputs"), inputs);
  if (!layer.ok()) return Output();
  if (!(rate >= 0 && rate < 1) || !IsFloating(x.dtype())) {
    scope.Fail(InvalidArgument(Describe(layer, x), " takes a rate from 0 up to, not including, 1, ",
                               "and floats; got ", rate, " and ", DTypeName(x.dtype())));
    return Output();
  }
  const auto drop = [&](const Scope& inside) {
    return nn::DropoutByRate(inside, x, rate, options);
  };
  if (training.is_known() && !training.value()) return scope(Identity(layer, x));
  if (training.is_known()) return scope(rate > 0 ? drop(layer) : Identity(layer, x));
  const std::vector<Output> taken = Cond(
      layer, training.tensor(),
      [&](const Scope& inside) { return std::vector<Output>{drop(inside)}; },
      [&](const Scope& inside) { return std::vector<Output>{Identity(inside, x)}; });
  return taken.empty() ? Output() : scope(taken[0]);
}

}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
