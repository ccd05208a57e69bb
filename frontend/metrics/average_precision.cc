#include "frontend/metrics/average_precision.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

// Right classes as rows, and how many each example has.
struct RightClasses {
  Output rows;    // int64 [examples…, how many at most]; negative: none
  Output counts;  // int64 [examples…]
};

Output Int64(const Scope& scope, int64_t value) { return Constant(scope, value, DType::kInt64); }

Output SumOfLast(const Scope& scope, const Output& x) { return ReduceSum(scope, x, -1); }

RightClasses RowsOf(const Scope& scope, const ClassLabels& labels, const Output& top,
                    const Output& num_classes) {
  RightClasses right;
  const Output values = AsOutput(scope.Named("labels"), labels.values, DType::kInt64);
  if (!scope.ok()) return right;
  // No example has the class -1.
  const Output none = BuildOutput(scope, "OnesLike", {values});
  const Output known = BuildOutput(
      scope, "SelectV2", {GreaterEqual(scope, values, num_classes), Negative(scope, none), values});
  if (labels.indices.valid()) {
    right.rows = BuildOutput(scope, "SparseToDense",
                             {labels.indices, labels.dense_shape, known, Int64(scope, -1)});
    right.counts =
        Cast(scope, BuildOutput(scope, "SetSize", {labels.indices, known, labels.dense_shape}),
             DType::kInt64);
    return right;
  }
  const bool one_each = known.shape().has_rank() && top.shape().has_rank() &&
                        known.shape().rank() + 1 == top.shape().rank();
  right.rows = one_each ? ExpandDims(scope, known, -1) : known;
  const Output is_class = GreaterEqual(scope, right.rows, Int64(scope, 0));
  right.counts = SumOfLast(scope, Cast(scope, is_class, DType::kInt64));
  return right;
}

// The average precision of each example.
Output AveragePrecision(const Scope& scope, const RightClasses& right, const Output& top, int k) {
  const Output is_it = Equal(scope, ExpandDims(scope, top, -1), ExpandDims(scope, right.rows, -2));
  const Output relevant = Cast(scope, BuildOutput(scope, "Any", {is_it, -1}), DType::kDouble);
  const Output right_so_far = BuildOutput(scope, "Cumsum", {relevant, -1});
  const Output so_far =
      BuildOutput(scope, "Cumsum", {BuildOutput(scope, "OnesLike", {relevant}), -1});
  const Output precision = Divide(scope, right_so_far, so_far);
  const Output sum = SumOfLast(scope, Multiply(scope, precision, relevant));
  const Output counts = Minimum(scope, right.counts, Int64(scope, k));
  return Divide(scope, sum, Cast(scope, counts, DType::kDouble));
}

}  // namespace

Metric AveragePrecisionAtK(ScopeRef scope_ref, const ClassLabels& labels, const Input& predictions,
                           int k, const MetricOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope(absl::StrCat("average_precision_at_", k));
  if (scope.ok() && k < 1) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(), "' needs k of one or more"));
  }
  const Output scores = AsOutput(inside.Named("predictions"), predictions, DType::kFloat);
  if (!inside.ok()) return Metric();
  const Output best = BuildOutputs(inside, "TopKV2", {scores, k}, OpAttrs(), 2)[1];
  const Scope each = inside.NameScope("average_precision");
  const Output top = Cast(each, best, DType::kInt64);
  const Output shape =
      BuildOutput(each, "Shape", {scores}, OpAttrs().Set("out_type", DType::kInt64));
  const std::vector<int64_t> last = {-1}, end = {0}, step = {1};
  const Output num_classes = BuildOutput(each, "StridedSlice", {shape, last, end, step},
                                         OpAttrs().Set("shrink_axis_mask", 1));
  const RightClasses right = RowsOf(each, labels, top, num_classes);
  if (!inside.ok()) return Metric();
  Output average = AveragePrecision(each, right, top, k);
  Output batch_max = Cast(each, BuildOutput(each, "Size", {average}), DType::kDouble);
  if (options.metric_weights.has_value()) {
    const Output given = AsOutput(inside.Named("weights"), *options.metric_weights, DType::kFloat);
    if (!inside.ok()) return Metric();
    const Output weights = BroadcastWeights(inside, Cast(inside, given, DType::kDouble), average);
    if (!inside.ok()) return Metric();
    average = Multiply(inside, average, weights);
    batch_max = ReduceSum(inside, weights);
  }
  const Scope max_scope = inside.NameScope("max_1"), total_scope = inside.NameScope("total");
  const Variable max = MetricVariable(max_scope, max_scope.name_scope(), Shape(), DType::kDouble);
  const Variable total =
      MetricVariable(total_scope, total_scope.name_scope(), Shape(), DType::kDouble);
  if (!inside.ok()) return Metric();
  const Output max_update = BuildOutput(max_scope.Named("update"), "AssignAdd", {max, batch_max});
  const Output total_update = BuildOutput(total_scope.Named("update"), "AssignAdd",
                                          {total, ReduceSum(total_scope, average)});
  const Output value = BuildOutput(inside.Named("mean"), "DivNoNan", {total.read(), max.read()});
  const Output update =
      BuildOutput(inside.Named(inside.name_scope()), "DivNoNan", {total_update, max_update});
  return Finish(scope, {value, update}, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
