#include "frontend/metrics/mean.h"

#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "frontend/metrics/label_pair.h"

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

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
