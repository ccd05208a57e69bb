#include "frontend/metrics/at_k.h"

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

// Sets of classes, one for each example: rows of a tensor, or a sparse one.
struct ClassSets {
  Output values;
  Output indices;  // not valid for rows of `values`
  Output dense_shape;

  bool is_sparse() const { return indices.valid(); }
  std::vector<ArgumentInput> inputs() const {
    if (!is_sparse()) return {values};
    return {indices, values, dense_shape};
  }
};

ClassSets Combine(const Scope& sets, const ClassSets& a, const ClassSets& b,
                  const char* operation) {
  const char* const op = !b.is_sparse()  ? "DenseToDenseSetOperation"
                         : a.is_sparse() ? "SparseToSparseSetOperation"
                                         : "DenseToSparseSetOperation";
  std::vector<ArgumentInput> inputs = a.inputs();
  for (const ArgumentInput& input : b.inputs()) inputs.push_back(input);
  const std::vector<Output> made =
      BuildOutputs(sets, op, inputs, OpAttrs().Set("set_operation", operation), 3);
  return {made[1], made[0], made[2]};
}

// What of the sets is the one class.
ClassSets OnlyClass(const Scope& sets, const ClassSets& from, int64_t only_class) {
  const Output shape = from.is_sparse() ? from.dense_shape
                                        : BuildOutput(sets, "Shape", {from.values},
                                                      OpAttrs().Set("out_type", DType::kInt64));
  const Output examples = BuildOutput(
      sets, "StridedSlice",
      {shape, std::vector<int64_t>{0}, std::vector<int64_t>{-1}, std::vector<int64_t>{1}},
      OpAttrs().Set("begin_mask", 1));
  const Output each_one = BuildOutput(
      sets, "ConcatV2", {InputList({Input(examples), Input(std::vector<int64_t>{1})}), 0});
  ClassSets wanted;
  wanted.values =
      BuildOutput(sets, "Fill", {each_one, Constant(sets, Input(only_class), DType::kInt64)});
  if (!sets.ok()) return wanted;
  return Combine(sets, wanted, from, "intersection");
}

struct AtK {
  ClassSets top;     // the classes predicted
  ClassSets labels;  // the right ones
  std::string name;  // "5", "5_class3"
};

// How many classes of each example a set operation leaves, over all batches: "<name>_at_<k>".
Metric CountSets(const Scope& outer, const AtK& at, const char* name, const char* operation,
                 const AtKOptions& options) {
  const Scope inside = outer.NameScope(absl::StrCat(name, "_at_", at.name));
  const Scope sets = inside.NameScope(absl::StrCat(name, "s"));
  ClassSets top = at.top, labels = at.labels;
  if (options.only_class.has_value()) {
    top = OnlyClass(sets, top, *options.only_class);
    labels = OnlyClass(sets, labels, *options.only_class);
  }
  if (!inside.ok()) return Metric();
  const ClassSets left = Combine(sets, top, labels, operation);
  const Output sizes = BuildOutput(sets, "SetSize", {left.indices, left.values, left.dense_shape});
  if (!inside.ok()) return Metric();
  Output counts = Cast(sets, sizes, DType::kDouble);
  if (options.metric.metric_weights.has_value()) {
    const Output given =
        AsOutput(inside.Named("weights"), *options.metric.metric_weights, DType::kFloat);
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

// What is counted: of the true positives the share among those and `wrong`, which `operation` on
// the predicted and the right classes leaves.
struct Share {
  const char* name;
  const char* wrong;
  const char* operation;
};
constexpr Share kPrecision = {"precision", "false_positive", "a-b"};
constexpr Share kRecall = {"recall", "false_negative", "b-a"};

std::string NameOf(const std::string& k, const AtKOptions& options) {
  return options.only_class.has_value() ? absl::StrCat(k, "_class", *options.only_class) : k;
}

Metric MetricOfTop(const Scope& scope, const Scope& inside, const std::string& k,
                   const Share& share, const ClassLabels& labels, const Output& top,
                   const AtKOptions& options) {
  AtK at;
  at.name = NameOf(k, options);
  at.top.values = Cast(inside, top, DType::kInt64);
  at.labels.values = AsOutput(inside.Named("labels"), labels.values, DType::kInt64);
  at.labels.indices = labels.indices;
  at.labels.dense_shape = labels.dense_shape;
  if (!inside.ok()) return Metric();
  if (!at.labels.is_sparse() && at.labels.values.shape().rank() == 1) {
    at.labels.values = ExpandDims(inside, at.labels.values, -1);
  }
  const Metric right = CountSets(inside, at, "true_positive", "intersection", options);
  const Metric not_right = CountSets(inside, at, share.wrong, share.operation, options);
  if (!inside.ok()) return Metric();
  const Output value = Divide(inside.Named(inside.name_scope()), right.value,
                              Add(inside, right.value, not_right.value));
  const Output update = Divide(inside.Named("update"), right.update_op,
                               Add(inside, right.update_op, not_right.update_op));
  return Finish(scope, {value, update}, options.metric);
}

Metric MetricAtK(const Scope& scope, const Share& share, const ClassLabels& labels,
                 const Input& predictions, int k, const AtKOptions& options) {
  const std::string number = absl::StrCat(k);
  const Scope inside = scope.OpenScope(absl::StrCat(share.name, "_at_", NameOf(number, options)));
  if (scope.ok() && k < 1) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(), "' needs k of one or more"));
  }
  if (!inside.ok()) return Metric();
  const Output best = BuildOutputs(inside, "TopKV2", {predictions, k}, OpAttrs(), 2)[1];
  if (!inside.ok()) return Metric();
  return MetricOfTop(scope, inside, number, share, labels, best, options);
}

Metric MetricAtTopK(const Scope& scope, const Share& share, const ClassLabels& labels,
                    const Input& top_classes, const AtKOptions& options) {
  const Scope inside = scope.OpenScope(absl::StrCat(share.name, "_at_", NameOf("k", options)));
  const Output top = AsOutput(inside.Named("top_classes"), top_classes, DType::kInt64);
  if (!inside.ok()) return Metric();
  return MetricOfTop(scope, inside, "k", share, labels, top, options);
}

}  // namespace

Metric PrecisionAtK(ScopeRef scope, const ClassLabels& labels, const Input& predictions, int k,
                    const AtKOptions& options) {
  return MetricAtK(scope.scope(), kPrecision, labels, predictions, k, options);
}

Metric PrecisionAtTopK(ScopeRef scope, const ClassLabels& labels, const Input& top_classes,
                       const AtKOptions& options) {
  return MetricAtTopK(scope.scope(), kPrecision, labels, top_classes, options);
}

Metric RecallAtK(ScopeRef scope, const ClassLabels& labels, const Input& predictions, int k,
                 const AtKOptions& options) {
  return MetricAtK(scope.scope(), kRecall, labels, predictions, k, options);
}

Metric RecallAtTopK(ScopeRef scope, const ClassLabels& labels, const Input& top_classes,
                    const AtKOptions& options) {
  return MetricAtTopK(scope.scope(), kRecall, labels, top_classes, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
