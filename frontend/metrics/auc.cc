#include "frontend/metrics/auc.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/losses/weights_broadcast.h"
#include "frontend/math.h"
#include "frontend/metrics/label_pair.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

// Keeps 0/0 away, as TensorFlow does.
constexpr double kEpsilon = 1e-6;

// One number a threshold.
struct Counts {
  Output true_positives, false_negatives, true_negatives, false_positives;
};

std::vector<float> Thresholds(int count) {
  constexpr double kBeyond = 1e-7;
  std::vector<float> thresholds = {static_cast<float>(0 - kBeyond)};
  for (int i = 1; i + 1 < count; ++i) thresholds.push_back(static_cast<float>(i) / (count - 1));
  thresholds.push_back(static_cast<float>(1 + kBeyond));
  return thresholds;
}

Operation AssertProbabilities(const Scope& inside, const Output& x) {
  const Output above = GreaterEqual(inside, x, 0.0f);
  const Output below = LessEqual(inside, x, 1.0f);
  const Output within = ReduceProd(
      inside, Cast(inside, BuildOutput(inside, "LogicalAnd", {above, below}), DType::kInt32));
  return BuildOp(
      inside, "Assert",
      {Equal(inside, within, 1), InputList({Input("predictions must be in [0, 1]: "), Input(x)})});
}

Output RowOf(const Scope& inside, const Output& x) { return Reshape(inside, x, {1, -1}); }

// What counts `decided` adds up to a variable a threshold; gives the sum with this batch.
Output AddUp(const Scope& inside, const Variable& variable, const Output& a, const Output& b,
             const Output& weights) {
  Output hits = Cast(inside, BuildOutput(inside, "LogicalAnd", {a, b}), DType::kFloat);
  if (weights.valid()) hits = Multiply(inside, hits, weights);
  return BuildOutput(inside, "AssignAdd", {variable, ReduceSum(inside, hits, 1)});
}

// x + kEpsilon over x + y + kEpsilon.
Output Rate(const Scope& inside, const Output& x, const Output& y, bool guarded) {
  const auto add = [&](const Input& a, const Input& b) { return Add(inside.Named("add"), a, b); };
  const Output part = guarded ? add(x, kEpsilon) : x;
  return Divide(inside, part, add(add(x, y), kEpsilon));
}

Output Area(const Scope& inside, const char* name, const Counts& counts,
            const AucOptions& options) {
  const Output recall = Rate(inside, counts.true_positives, counts.false_negatives, true);
  const bool roc = options.curve_kind == Curve::kRoc;
  const Output x =
      roc ? Rate(inside, counts.false_positives, counts.true_negatives, false) : recall;
  const Output y = roc ? recall : Rate(inside, counts.true_positives, counts.false_positives, true);
  const int steps = options.thresholds - 1;
  const auto slice = [&](const Output& of, int begin) {
    return BuildOutput(
        inside, "Slice",
        {of, Input(std::vector<int32_t>{begin}), Input(std::vector<int32_t>{steps})});
  };
  const Output widths = Subtract(inside.Named("sub"), slice(x, 0), slice(x, 1));
  Output heights;
  if (options.summation == Summation::kTrapezoidal) {
    heights = Divide(inside, Add(inside.Named("add"), slice(y, 0), slice(y, 1)), 2.0f);
  } else if (options.summation == Summation::kMinoring) {
    heights = Minimum(inside, slice(y, 0), slice(y, 1));
  } else {
    heights = Maximum(inside, slice(y, 0), slice(y, 1));
  }
  return ReduceSum(inside.Named(name), Multiply(inside, widths, heights),
                   Constant(inside, std::vector<int32_t>{0}));
}

}  // namespace

Metric Auc(ScopeRef scope_ref, const Input& labels, const Input& predictions,
           const MetricOptions& options, const AucOptions& auc) {
  const Scope scope = scope_ref.scope();
  const Scope inside = MetricScope(scope, "auc");
  const Output given = AsOutput(inside.Named("predictions"), predictions);
  const Output truths = Cast(inside, labels, DType::kBool);
  const LabelPair pair = MakeLabelPair(inside, truths, given, DType::kFloat);
  if (scope.ok() && auc.thresholds < 2) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(),
                               "' needs two thresholds or more, got ", auc.thresholds));
  }
  if (!inside.ok()) return Metric();
  const Operation fits = AssertProbabilities(inside, pair.predictions);
  const Scope after = inside.ControlDependencies({fits});
  const Output scores = RowOf(after, Identity(after, pair.predictions));
  const Output truth = RowOf(inside, Cast(inside, pair.labels, DType::kBool));
  const Output thresholds =
      Constant(inside, Thresholds(auc.thresholds), DType::kFloat, Shape({auc.thresholds, 1}));
  const Output positive = Greater(inside, scores, thresholds);
  const Output negative = BuildOutput(inside, "LogicalNot", {positive});
  const Output untruth = BuildOutput(inside, "LogicalNot", {truth});
  Output weights;
  if (options.metric_weights.has_value()) {
    const Output w = AsOutput(inside.Named("weights"), *options.metric_weights, DType::kFloat);
    weights = BroadcastWeights(inside, Cast(inside, w, DType::kFloat), pair.predictions);
    weights = RowOf(inside, weights);
  }
  const auto variable = [&](const char* name) {
    return MetricVariable(inside, name, {auc.thresholds});
  };
  const Variable tp = variable("true_positives"), fn = variable("false_negatives"),
                 tn = variable("true_negatives"), fp = variable("false_positives");
  if (!inside.ok()) return Metric();
  Counts with_batch;
  with_batch.true_positives = AddUp(inside, tp, truth, positive, weights);
  with_batch.false_negatives = AddUp(inside, fn, truth, negative, weights);
  with_batch.true_negatives = AddUp(inside, tn, untruth, negative, weights);
  with_batch.false_positives = AddUp(inside, fp, untruth, positive, weights);
  if (!inside.ok()) return Metric();
  const Output value = Area(inside, "value", {tp, fn, tn, fp}, auc);
  return Finish(scope, {value, Area(inside, "update_op", with_batch, auc)}, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
