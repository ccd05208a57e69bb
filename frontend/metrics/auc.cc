#include "frontend/metrics/auc.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/metrics/threshold_counts.h"
#include "graph/types/errors.h"

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
  if (scope.ok() && auc.thresholds < 2) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(),
                               "' needs two thresholds or more, got ", auc.thresholds));
  }
  if (!inside.ok()) return Metric();
  const ThresholdCounts counts(inside, labels, predictions, Thresholds(auc.thresholds), options);
  if (!inside.ok()) return Metric();
  const Variable tp = counts.MakeVariable("true_positives"),
                 fn = counts.MakeVariable("false_negatives"),
                 tn = counts.MakeVariable("true_negatives"),
                 fp = counts.MakeVariable("false_positives");
  if (!inside.ok()) return Metric();
  Counts with_batch;
  with_batch.true_positives = counts.Update(tp, true, true);
  with_batch.false_negatives = counts.Update(fn, true, false);
  with_batch.true_negatives = counts.Update(tn, false, false);
  with_batch.false_positives = counts.Update(fp, false, true);
  if (!inside.ok()) return Metric();
  const Output value = Area(inside, "value", {tp, fn, tn, fp}, auc);
  return Finish(scope, {value, Area(inside, "update_op", with_batch, auc)}, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
