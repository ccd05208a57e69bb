#include "frontend/metrics/at_k.h"

#include "absl/strings/str_cat.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

struct AtK {
  Output top;     // the classes predicted
  Output labels;  // the right ones
  int k = 0;
};

// How many classes of each example a set operation leaves, over all batches: "<name>_at_<k>".
Metric CountSets(const Scope& outer, const AtK& at, const char* name, const char* operation,
                 const MetricOptions& options) {
  const Scope inside = outer.NameScope(absl::StrCat(name, "_at_", at.k));
  const Scope sets = inside.NameScope(absl::StrCat(name, "s"));
  const std::vector<Output> left =
      BuildOutputs(sets, "DenseToDenseSetOperation", {at.top, at.labels},
                   OpAttrs().Set("set_operation", operation), 3);
  const Output sizes = BuildOutput(sets, "SetSize", {left[0], left[1], left[2]});
  if (!inside.ok()) return Metric();
  Output counts = Cast(sets, sizes, DType::kDouble);
  if (options.metric_weights.has_value()) {
    const Output given = AsOutput(inside.Named("weights"), *options.metric_weights, DType::kFloat);
    if (!inside.ok()) return Metric();
    const Operation fits = AssertBroadcastable(inside, given, counts);
    const Scope after = inside.ControlDependencies({fits});
    counts = Multiply(after, counts, Cast(after, given, DType::kDouble));
  }
  const Output sum = ReduceSum(inside, counts);
  const Variable total = MetricVariable(inside, inside.name_scope(), Shape(), DType::kDouble);
  if (!inside.ok()) return Metric();
  return {total.read(), BuildOutput(inside.Named("update"), "AssignAdd", {total, sum})};
}

Metric MetricAtK(const Scope& scope, const char* name, const char* wrong, const char* operation,
                 const Input& labels, const Input& predictions, int k,
                 const MetricOptions& options) {
  const Scope inside = scope.OpenScope(absl::StrCat(name, "_at_", k));
  if (scope.ok() && k < 1) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(), "' needs k of one or more"));
  }
  if (!inside.ok()) return Metric();
  AtK at;
  at.k = k;
  const Output best = BuildOutputs(inside, "TopKV2", {predictions, k}, OpAttrs(), 2)[1];
  if (!inside.ok()) return Metric();
  at.top = Cast(inside, best, DType::kInt64);
  at.labels = AsOutput(inside.Named("labels"), labels, DType::kInt64);
  if (!inside.ok()) return Metric();
  if (at.labels.shape().rank() == 1) at.labels = ExpandDims(inside, at.labels, -1);
  const Metric right = CountSets(inside, at, "true_positive", "intersection", options);
  const Metric not_right = CountSets(inside, at, wrong, operation, options);
  if (!inside.ok()) return Metric();
  const Output value = Divide(inside.Named(inside.name_scope()), right.value,
                              Add(inside, right.value, not_right.value));
  const Output update = Divide(inside.Named("update"), right.update_op,
                               Add(inside, right.update_op, not_right.update_op));
  return Finish(scope, {value, update}, options);
}

}  // namespace

Metric PrecisionAtK(ScopeRef scope, const Input& labels, const Input& predictions, int k,
                    const MetricOptions& options) {
  return MetricAtK(scope.scope(), "precision", "false_positive", "a-b", labels, predictions, k,
                   options);
}

Metric RecallAtK(ScopeRef scope, const Input& labels, const Input& predictions, int k,
                 const MetricOptions& options) {
  return MetricAtK(scope.scope(), "recall", "false_negative", "b-a", labels, predictions, k,
                   options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
