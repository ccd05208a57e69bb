#include "frontend/regularization.h"

#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

bool IsUsable(const Scope& scope, double scale) {
  if (!(scale >= 0)) {
    scope.Fail(InvalidArgument("a regularizer's scale must not be negative, got ", scale));
  }
  return scale > 0 && scope.ok();
}

}  // namespace

Regularizer L1Regularizer(double scale) {
  return Regularizer([scale](const Scope& scope, const Output& weights) {
    if (!IsUsable(scope, scale)) return Output();
    const Scope inside = scope.OpenScope("l1_regularizer");
    const Output factor = Constant(inside.Named("scale"), scale, weights.dtype());
    const Output sum = ReduceSum(inside, BuildOutput(inside, "Abs", {weights}));
    return scope(Multiply(inside.Named(inside.name_scope()), factor, sum));
  });
}

Regularizer L1L2Regularizer(double l1, double l2) {
  return Regularizer([l1, l2](const Scope& scope, const Output& weights) {
    const std::string name = scope.OpNameOr("l1_l2_regularizer");
    // With one penalty that one has the name.
    if (l1 == 0) return L2Regularizer(l2)(scope.Named(name), weights);
    if (l2 == 0) return L1Regularizer(l1)(scope.Named(name), weights);
    const Scope inside = scope.OpenScope(name);
    const Output absolute = L1Regularizer(l1)(inside, weights);
    const Output square = L2Regularizer(l2)(inside, weights);
    if (!scope.ok()) return Output();
    return scope(AddN(inside.Named(inside.name_scope()), {absolute, square}));
  });
}

Output ApplyRegularization(ScopeRef scope_ref, const Regularizer& regularizer,
                           const std::vector<Output>& weights) {
  const Scope scope = scope_ref.scope();
  const std::vector<Output> all =
      weights.empty() ? GetCollection(scope, kWeightsCollection) : weights;
  if (all.empty()) {
    scope.Fail(
        InvalidArgument("there are no weights to regularize: name them, or add them to the "
                        "collection '",
                        kWeightsCollection, "'"));
    return Output();
  }
  const Scope inside = scope.OpenScope("get_regularization_penalty");
  std::vector<Output> penalties;
  for (const Output& w : all) penalties.push_back(regularizer(inside, w));
  for (Output& penalty : penalties) {
    if (!scope.ok()) return Output();
    if (!penalty.valid()) penalty = Constant(inside, 0.0f);
    if (!penalty.shape().IsCompatibleWith(PartialShape(Shape()))) {
      scope.Fail(InvalidArgument("a regularizer must give a scalar, '", penalty.name(), "' is ",
                                 penalty.shape().ToString()));
    }
  }
  const Output sum = AddN(inside.Named(inside.name_scope()), penalties);
  AddToCollection(scope, GraphKeys::kRegularizationLosses, sum);
  return scope(sum);
}

}  // namespace frontend
}  // namespace warpbeam
