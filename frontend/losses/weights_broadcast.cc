#include "frontend/losses/weights_broadcast.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// Dimensions that cannot go together.
bool Contradict(const PartialShape& weights, const PartialShape& values) {
  if (!weights.has_rank() || !values.has_rank() || weights.rank() == 0) return false;
  if (weights.rank() != values.rank()) return true;
  for (int i = 0; i < weights.rank(); ++i) {
    const int64_t w = weights.dim(i), v = values.dim(i);
    if (w >= 0 && w != 1 && v >= 0 && w != v) return true;
  }
  return false;
}

// Fails the step unless each dimension of the weights is 1 or that of the values.
Operation AssertInStep(const Scope& inside, const Output& weights_shape,
                       const Output& values_shape) {
  const Output same = Equal(inside, weights_shape, values_shape);
  const Output one = Equal(inside, weights_shape, 1);
  const Output each = BuildOutput(inside, "LogicalOr", {same, one});
  const Output axes = Constant(inside, std::vector<int32_t>{0});
  const Output valid = BuildOutput(inside.Named("is_valid_shape"), "All", {each, axes});
  const std::string what = "weights can not be broadcast to values. weights.shape=";
  return BuildOp(inside, "Assert",
                 {valid, InputList({Input(what), Input(weights_shape), Input(" values.shape="),
                                    Input(values_shape)})});
}

}  // namespace

Operation AssertBroadcastable(const Scope& scope, const Input& weights_in, const Output& values) {
  const Scope inside = scope.NameScope("assert_broadcastable");
  const Output weights = AsOutput(inside.Named("weights"), weights_in, DType::kFloat);
  if (!scope.ok()) return Operation();
  const PartialShape of_weights = weights.shape(), of_values = values.shape();
  const Output weights_shape = ShapeOf(inside.Named("weights/shape"), weights);
  RankOf(inside.Named("weights/rank"), weights);
  const Output values_shape = ShapeOf(inside.Named("values/shape"), values);
  RankOf(inside.Named("values/rank"), values);
  if (of_weights.rank() == 0) return NoOp(inside.Named("static_scalar_check_success"));
  if (Contradict(of_weights, of_values)) {
    scope.Fail(InvalidArgument("weights '", weights.name(), "' of ", of_weights.ToString(),
                               " do not fit the values '", values.name(), "' of ",
                               of_values.ToString(), ": each dimension must be the same, or 1"));
    return Operation();
  }
  if (of_weights.IsFullyDefined() && of_values.IsFullyDefined()) {
    return NoOp(inside.Named("static_dims_check_success"));
  }
  if (!of_weights.has_rank() || !of_values.has_rank()) return NoOp(inside);
  return AssertInStep(inside, weights_shape, values_shape);
}

Output BroadcastWeights(const Scope& scope, const Output& weights, const Output& values) {
  const Scope inside = scope.NameScope("broadcast_weights");
  if (!weights.valid() || !values.valid()) return Output();
  if (weights.shape().IsFullyDefined() && weights.shape() == values.shape()) return weights;
  const Operation fits = AssertBroadcastable(inside, weights, values);
  const Scope after = inside.ControlDependencies({fits});
  return Multiply(after.Named(inside.name_scope()), weights, OnesLike(after, values));
}

void RemoveSqueezableDimensions(const Scope& scope, Output* labels, Output* predictions,
                                int rank_difference) {
  if (!labels->valid() || !predictions->valid()) return;
  const PartialShape of_labels = labels->shape(), of_predictions = predictions->shape();
  if (!of_labels.has_rank() || !of_predictions.has_rank()) return;
  const int difference = of_predictions.rank() - of_labels.rank();
  const auto squeeze = [&](Output* x) {
    const int64_t last = x->shape().dim(x->shape().rank() - 1);
    if (last != 1 && last != -1) return;
    const Scope inside = scope.NameScope("remove_squeezable_dimensions");
    *x = BuildOutput(inside, "Squeeze", {*x},
                     OpAttrs().Set("squeeze_dims", std::vector<int64_t>{-1}));
  };
  if (difference == rank_difference + 1) squeeze(predictions);
  if (difference == rank_difference - 1) squeeze(labels);
}

}  // namespace frontend
}  // namespace warpbeam
