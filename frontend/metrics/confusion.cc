#include "frontend/metrics/confusion.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "frontend/metrics/label_pair.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

// Weights of the rank of `hits`, or one number.
Output WeightedHits(const Scope& inside, const Output& hits, const Input& weights) {
  Output given = AsOutput(inside.Named("weights"), weights, DType::kFloat);
  if (!inside.ok()) return Output();
  Output values = hits;
  if (given.shape().rank() > 0) RemoveSqueezableDimensions(inside, &given, &values);
  const Operation fits = AssertBroadcastable(inside, given, values);
  const Scope after = inside.ControlDependencies({fits});
  return Multiply(after, values, Cast(after, given, DType::kFloat));
}

// How often the labels are `label` where the predictions are `prediction`. The numbers of true
// labels and predictions come from booleans of one shape.
Metric Count(const Scope& scope, const char* name, bool label, bool prediction, const Input& labels,
             const Input& predictions, const MetricOptions& options) {
  const Scope inside = MetricScope(scope, name);
  const LabelPair pair = MakeLabelPair(inside, labels, predictions, DType::kBool);
  if (!inside.ok()) return Metric();
  const Output of_labels = Equal(inside, pair.labels, label);
  const Output of_predictions = Equal(inside, pair.predictions, prediction);
  const Output both = BuildOutput(inside, "LogicalAnd", {of_labels, of_predictions});
  const Scope check = inside.NameScope("assert_type");
  NoOp(check.Named("statically_determined_correct_type"));
  const Variable count = MetricVariable(inside, "count", Shape());
  Output hits = Cast(inside, both, DType::kFloat);
  if (options.metric_weights.has_value()) {
    hits = WeightedHits(inside, hits, *options.metric_weights);
  }
  if (!inside.ok()) return Metric();
  const Output value = Identity(inside, count);
  const Output update = BuildOutput(inside, "AssignAdd", {count, ReduceSum(inside, hits)});
  return Finish(scope, {value, update}, options);
}

Output PartRight(const Scope& inside, const char* name, const Output& right, const Output& wrong) {
  const auto sum = [&] { return Add(inside.Named("add"), right, wrong); };
  const Output any = Greater(inside, sum(), 0.0f);
  const Output part = Divide(inside, right, sum());
  return BuildOutput(inside.Named(name), "Select", {any, part, 0.0f});
}

// True positives among those and what `wrong` counts.
Metric Share(const Scope& scope, const char* name, const char* wrong_name, bool wrong_label,
             const Input& labels, const Input& predictions, const MetricOptions& options) {
  const Scope inside = MetricScope(scope, name);
  const LabelPair pair = MakeLabelPair(inside, labels, predictions, DType::kBool);
  if (!inside.ok()) return Metric();
  MetricOptions counted;
  counted.metric_weights = options.metric_weights;
  const Metric right =
      Count(inside, "true_positives", true, true, pair.labels, pair.predictions, counted);
  const Metric wrong =
      Count(inside, wrong_name, wrong_label, !wrong_label, pair.labels, pair.predictions, counted);
  if (!inside.ok()) return Metric();
  const Output value = PartRight(inside, "value", right.value, wrong.value);
  const Output update = PartRight(inside, "update_op", right.update_op, wrong.update_op);
  return Finish(scope, {value, update}, options);
}

Output MeanOverClasses(const Scope& inside, const Output& matrix) {
  const Output rows = Cast(inside, ReduceSum(inside, matrix, 0), DType::kFloat);
  const Output columns = Cast(inside, ReduceSum(inside, matrix, 1), DType::kFloat);
  const Output right = Cast(inside, BuildOutput(inside, "DiagPart", {matrix}), DType::kFloat);
  const Output either =
      Subtract(inside.Named("sub"), Add(inside.Named("add"), rows, columns), right);
  // Classes that neither occur nor are predicted do not count.
  const Output occurs = Cast(inside, NotEqual(inside, either, 0.0f), DType::kFloat);
  const Output classes = ReduceSum(inside, occurs);
  const Output some = Greater(inside, either, 0.0f);
  const Output divisor = BuildOutput(inside, "Select", {some, either, OnesLike(inside, either)});
  const Output each = Divide(inside, right, divisor);
  const Output any = Greater(inside, classes, 0.0f);
  const Output sum = ReduceSum(inside.Named("mean_iou"), each);
  return BuildOutput(inside, "Select", {any, Divide(inside, sum, classes), 0.0f});
}

}  // namespace

Metric TruePositives(ScopeRef scope, const Input& labels, const Input& predictions,
                     const MetricOptions& options) {
  return Count(scope.scope(), "true_positives", true, true, labels, predictions, options);
}

Metric TrueNegatives(ScopeRef scope, const Input& labels, const Input& predictions,
                     const MetricOptions& options) {
  return Count(scope.scope(), "true_negatives", false, false, labels, predictions, options);
}

Metric FalsePositives(ScopeRef scope, const Input& labels, const Input& predictions,
                      const MetricOptions& options) {
  return Count(scope.scope(), "false_positives", false, true, labels, predictions, options);
}

Metric FalseNegatives(ScopeRef scope, const Input& labels, const Input& predictions,
                      const MetricOptions& options) {
  return Count(scope.scope(), "false_negatives", true, false, labels, predictions, options);
}

Metric Precision(ScopeRef scope, const Input& labels, const Input& predictions,
                 const MetricOptions& options) {
  return Share(scope.scope(), "precision", "false_positives", false, labels, predictions, options);
}

Metric Recall(ScopeRef scope, const Input& labels, const Input& predictions,
              const MetricOptions& options) {
  return Share(scope.scope(), "recall", "false_negatives", true, labels, predictions, options);
}

Metric MeanIou(ScopeRef scope_ref, const Input& labels, const Input& predictions, int num_classes,
               const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = MetricScope(scope, "mean_iou");
  const LabelPair pair = MakeLabelPair(inside, labels, predictions, DType::kInt64);
  if (inside.ok() && num_classes < 1) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(),
                               "' needs one class or more, got ", num_classes));
  }
  if (!inside.ok()) return Metric();
  const Variable total =
      MetricVariable(inside, "total_confusion_matrix", {num_classes, num_classes}, DType::kDouble);
  const auto flat = [&](const Output& x) { return Reshape(inside, x, {-1}); };
  const Output of_labels = flat(pair.labels), of_predictions = flat(pair.predictions);
  const Scope matrix = inside.NameScope("confusion_matrix");
  const Output cells = Stack(matrix, {of_labels, of_predictions}, 1);
  Output counts = OnesLike(matrix, Cast(matrix, of_predictions, DType::kDouble));
  if (options.metric_weights.has_value()) {
    const Output given = AsOutput(inside.Named("weights"), *options.metric_weights, DType::kFloat);
    const Output each = BroadcastWeights(inside, Cast(inside, given, DType::kFloat),
                                         Cast(inside, pair.predictions, DType::kFloat));
    if (!inside.ok()) return Metric();
    counts = Cast(matrix, flat(each), DType::kDouble);
  }
  const Output shape =
      Constant(matrix.Named("shape"), std::vector<int64_t>{num_classes, num_classes});
  const Output batch = BuildOutput(matrix, "ScatterNd", {cells, counts, shape});
  const Output update = BuildOutput(inside, "AssignAdd", {total, batch});
  if (!inside.ok()) return Metric();
  return Finish(scope, {MeanOverClasses(inside, total), update}, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
