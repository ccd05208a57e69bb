#include "frontend/metrics/mean.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "frontend/metrics/label_pair.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

Output Ratio(const Scope& inside, const char* name, const Input& total, const Input& count) {
  return BuildOutput(inside.Named(name), "DivNoNan", {total, Maximum(inside, count, 0.0f)});
}

// The mean, under the metric's own name, of values that were built in the scope around.
Metric MeanNamed(const Scope& scope, const char* name, const Output& values,
                 const MetricOptions& options) {
  return Mean(scope.Named(scope.OpNameOr(name)), values, options);
}

}  // namespace

Metric Mean(ScopeRef scope_ref, const Input& values, const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Metric();
  // Metrics that are means of something are called by their own name, numbered as this one is.
  const Scope inside = MetricScope(scope, "mean");
  Output x = AsOutput(inside.Named("values"), values);
  if (!inside.ok()) return Metric();
  x = Cast(inside, x, DType::kFloat);
  const Variable total = MetricVariable(inside, "total", Shape());
  const Variable count = MetricVariable(inside, "count", Shape());
  Output number;
  if (options.metric_weights.has_value()) {
    const Output given = AsOutput(inside, *options.metric_weights, DType::kFloat);
    if (!inside.ok()) return Metric();
    Output cast = Cast(inside, given, DType::kFloat);
    if (cast.shape().rank() > 0) RemoveSqueezableDimensions(inside, &cast, &x);
    const Output weights = BroadcastWeights(inside, cast, x);
    if (!inside.ok()) return Metric();
    x = Multiply(inside, x, weights);
    number = ReduceSum(inside, weights);
  } else {
    number = Cast(inside, BuildOutput(inside, "Size", {x}), DType::kFloat);
  }
  const Output more_total = BuildOutput(inside, "AssignAdd", {total, ReduceSum(inside, x)});
  const Output more_count =
      BuildOutput(inside.ControlDependencies({x}), "AssignAdd", {count, number});
  if (!inside.ok()) return Metric();
  const Output value = Ratio(inside, "value", total, count);
  return Finish(scope, {value, Ratio(inside, "update_op", more_total, more_count)}, options);
}

Metric Accuracy(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope outside = scope.Named("");
  const LabelPair pair = MakeLabelPair(outside, labels, predictions, DType::kInvalid);
  if (!scope.ok()) return Metric();
  const Output right = Equal(outside, pair.predictions, pair.labels);
  return MeanNamed(scope, "accuracy", Cast(outside, right, DType::kFloat), options);
}

Metric MeanSquaredError(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                        const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope outside = scope.Named("");
  const LabelPair pair = MakeLabelPair(outside, labels, predictions, DType::kFloat);
  if (!scope.ok()) return Metric();
  const Output squares = BuildOutput(outside, "SquaredDifference", {pair.labels, pair.predictions});
  return MeanNamed(scope, "mean_squared_error", squares, options);
}

Metric RootMeanSquaredError(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                            const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  MetricOptions of_squares = options;
  of_squares.value_collections.clear();
  of_squares.update_collections.clear();
  const Metric squares = MeanSquaredError(scope.Named(scope.OpNameOr("root_mean_squared_error")),
                                          labels, predictions, of_squares);
  if (!scope.ok()) return Metric();
  const Scope outside = scope.Named("");
  const Output value = BuildOutput(outside, "Sqrt", {squares.value});
  return Finish(scope, {value, BuildOutput(outside, "Sqrt", {squares.update_op})}, options);
}

Metric MeanAbsoluteError(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                         const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope outside = scope.Named("");
  const LabelPair pair = MakeLabelPair(outside, labels, predictions, DType::kFloat);
  if (!scope.ok()) return Metric();
  const Output difference = Subtract(outside, pair.predictions, pair.labels);
  return MeanNamed(scope, "mean_absolute_error", BuildOutput(outside, "Abs", {difference}),
                   options);
}

Metric MeanRelativeError(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                         const Input& normalizer, const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope outside = scope.Named("");
  const LabelPair pair = MakeLabelPair(outside, labels, predictions, DType::kFloat);
  Output divisor = AsOutput(outside.Named("normalizer"), normalizer, DType::kFloat);
  if (!scope.ok()) return Metric();
  divisor = Cast(outside, divisor, DType::kFloat);
  Output of_predictions = pair.predictions;
  RemoveSqueezableDimensions(outside, &of_predictions, &divisor);
  if (!scope.ok()) return Metric();
  if (!of_predictions.shape().IsCompatibleWith(divisor.shape())) {
    scope.Fail(InvalidArgument("MeanRelativeError: predictions of ",
                               of_predictions.shape().ToString(), " do not fit the normalizer '",
                               divisor.name(), "' of ", divisor.shape().ToString()));
    return Metric();
  }
  const Output none = Equal(outside, divisor, 0.0f);
  const Output distance =
      BuildOutput(outside, "Abs", {Subtract(outside, pair.labels, of_predictions)});
  const Output errors =
      BuildOutput(outside, "Select",
                  {none, ZerosOfShapeOf(outside, pair.labels), Divide(outside, distance, divisor)});
  return MeanNamed(scope, "mean_relative_error", errors, options);
}

Metric MeanCosineDistance(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                          int dim, const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope outside = scope.Named("");
  const LabelPair pair = MakeLabelPair(outside, labels, predictions, DType::kFloat);
  if (!scope.ok()) return Metric();
  const Output products = Multiply(outside, pair.predictions, pair.labels);
  const Output sums = ReduceSum(outside, products, std::vector<int32_t>{dim}, /*keep_dims=*/true);
  MetricOptions of_products = options;
  of_products.value_collections.clear();
  of_products.update_collections.clear();
  const Metric mean = MeanNamed(scope, "mean_cosine_distance", sums, of_products);
  if (!scope.ok()) return Metric();
  return Finish(scope,
                {Subtract(outside, 1.0f, mean.value), Subtract(outside, 1.0f, mean.update_op)},
                options);
}

Metric PercentageBelow(ScopeRef scope_ref, const Input& values, const Input& threshold,
                       const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope outside = scope.Named("");
  const Output below = Less(outside, values, threshold);
  if (!scope.ok()) return Metric();
  return MeanNamed(scope, "percentage_below_threshold", Cast(outside, below, DType::kFloat),
                   options);
}

Metric MeanTensor(ScopeRef scope_ref, const Input& values, const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = MetricScope(scope, "mean");
  Output x = AsOutput(inside.Named("values"), values);
  if (!inside.ok()) return Metric();
  x = Cast(inside, x, DType::kFloat);
  const StatusOr<Shape> shape = x.shape().AsShape();
  if (!shape.ok()) {
    scope.Fail(InvalidArgument("MeanTensor must know the shape of its values; '", x.name(), "' is ",
                               x.shape().ToString()));
    return Metric();
  }
  const Variable total = MetricVariable(inside, "total_tensor", *shape);
  const Variable count = MetricVariable(inside, "count_tensor", *shape);
  Output number = OnesLike(inside, x);
  if (options.metric_weights.has_value()) {
    const Output given = AsOutput(inside, *options.metric_weights, DType::kFloat);
    if (!inside.ok()) return Metric();
    Output cast = Cast(inside, given, DType::kFloat);
    if (cast.shape().rank() > 0) RemoveSqueezableDimensions(inside, &cast, &x);
    const Output weights = BroadcastWeights(inside, cast, x);
    x = Multiply(inside, x, weights);
    number = Multiply(inside, number, weights);
  }
  const Output more_total = BuildOutput(inside, "AssignAdd", {total, x});
  const Output more_count =
      BuildOutput(inside.ControlDependencies({x}), "AssignAdd", {count, number});
  if (!inside.ok()) return Metric();
  const Output value = Ratio(inside, "value", total, count);
  return Finish(scope, {value, Ratio(inside, "update_op", more_total, more_count)}, options);
}

Metric MeanPerClassAccuracy(ScopeRef scope_ref, const Input& labels, const Input& predictions,
                            int num_classes, const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = MetricScope(scope, "mean_accuracy");
  const LabelPair pair = MakeLabelPair(inside, labels, predictions, DType::kInt64);
  if (inside.ok() && num_classes < 1) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(),
                               "' needs one class or more, got ", num_classes));
  }
  if (!inside.ok()) return Metric();
  const auto flat = [&](const Output& x) { return Reshape(inside, x, {-1}); };
  const Output of_labels = flat(pair.labels), of_predictions = flat(pair.predictions);
  const Variable total = MetricVariable(inside, "total", {num_classes});
  const Variable count = MetricVariable(inside, "count", {num_classes});
  Output right = Cast(inside, Equal(inside, of_predictions, of_labels), DType::kFloat);
  Output ones = OnesLike(inside, right);
  if (options.metric_weights.has_value()) {
    const Output given = AsOutput(inside.Named("weights"), *options.metric_weights, DType::kFloat);
    if (!inside.ok()) return Metric();
    const Output weights = given.shape().rank() == 0 ? Cast(inside, given, DType::kFloat)
                                                     : flat(Cast(inside, given, DType::kFloat));
    right = Multiply(inside, right, weights);
    ones = Multiply(inside, ones, weights);
  }
  const auto add = [&](const Variable& variable, const Output& values) {
    return BuildOutput(inside, "ScatterAdd", {variable, of_labels, values});
  };
  const Output more_total = add(total, ones), more_count = add(count, right);
  if (!inside.ok()) return Metric();
  const Output each = BuildOutput(inside, "DivNoNan", {count, Maximum(inside, total, 0.0f)});
  const Output value = ReduceMean(inside.Named("mean_accuracy"), each);
  return Finish(scope, {value, Ratio(inside, "update_op", more_count, more_total)}, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
