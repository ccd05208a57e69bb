#include "frontend/metrics/thresholds.h"

#include <functional>

#include "absl/strings/str_cat.h"
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
constexpr double kShareEpsilon = 1e-7;

// True positives among those and what `wrong_name` counts.
Metric ShareAtThresholds(const Scope& scope, const char* name, const char* wrong_name,
                         bool wrong_truth, const Input& labels, const Input& predictions,
                         const std::vector<float>& thresholds, const MetricOptions& options) {
  const Scope inside = MetricScope(scope, absl::StrCat(name, "_at_thresholds").c_str());
  if (scope.ok() && thresholds.empty()) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(), "' needs a threshold"));
  }
  if (!inside.ok()) return Metric();
  const ThresholdCounts counts(inside, labels, predictions, thresholds, options);
  if (!inside.ok()) return Metric();
  const Variable right = counts.MakeVariable("true_positives");
  const Variable wrong = counts.MakeVariable(wrong_name);
  if (!inside.ok()) return Metric();
  const Output right_now = counts.Update(right, true, true);
  const Output wrong_now = counts.Update(wrong, wrong_truth, !wrong_truth);
  const auto share = [&](const std::string& of, const Output& x, const Output& y) {
    const Output sum = Add(inside, Add(inside, kShareEpsilon, x), y);
    return Divide(inside.Named(absl::StrCat(name, "_", of)), x, sum);
  };
  if (!inside.ok()) return Metric();
  const Output value = share("value", right.read(), wrong.read());
  return Finish(scope, {value, share("update_op", right_now, wrong_now)}, options);
}

Metric CountAtThresholds(const Scope& scope, const char* name, bool truth, bool decided,
                         const Input& labels, const Input& predictions,
                         const std::vector<float>& thresholds, const MetricOptions& options) {
  const Scope inside = MetricScope(scope, name);
  if (scope.ok() && thresholds.empty()) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(), "' needs a threshold"));
  }
  if (!inside.ok()) return Metric();
  const ThresholdCounts counts(inside, labels, predictions, thresholds, options);
  if (!inside.ok()) return Metric();
  const Variable count = counts.MakeVariable(name);
  if (!inside.ok()) return Metric();
  const Output update = counts.Update(count, truth, decided);
  return Finish(scope, {Identity(inside, count), update}, options);
}

// The counts of all four kinds, as they are or with the batch.
struct AllCounts {
  Output true_positives, false_negatives, true_negatives, false_positives;
};

// At which of the thresholds one part is next to what is asked for.
using ChooseThreshold = std::function<Output(const Scope& inside, const AllCounts& counts)>;

Output PartOf(const Scope& inside, const Output& x, const Output& y) {
  return Divide(inside, x, Add(inside, Add(inside, x, y), kShareEpsilon));
}

// Thresholds from just below 0 to `last`.
std::vector<float> EvenThresholds(int count, double last) {
  std::vector<float> thresholds = {static_cast<float>(-kShareEpsilon)};
  for (int i = 1; i < count - 1; ++i) {
    thresholds.push_back(static_cast<float>(i / static_cast<double>(count - 1)));
  }
  thresholds.push_back(static_cast<float>(last));
  return thresholds;
}

// `choose` says at which threshold; the part is then of the positives or of the negatives.
Metric PartAtPart(const Scope& scope, const char* name, bool of_positives, double wanted,
                  double last_threshold, int num_thresholds, const Input& labels,
                  const Input& predictions, const MetricOptions& options,
                  const ChooseThreshold& choose) {
  const Scope inside = MetricScope(scope, name);
  if (scope.ok() && (!(wanted >= 0 && wanted <= 1) || num_thresholds < 2)) {
    scope.Fail(InvalidArgument("the metric '", inside.name_scope(), "' takes a part in [0, 1] and ",
                               "two thresholds or more, got ", wanted, " and ", num_thresholds));
  }
  if (!inside.ok()) return Metric();
  const ThresholdCounts counts(inside, labels, predictions,
                               EvenThresholds(num_thresholds, last_threshold), options);
  if (!inside.ok()) return Metric();
  const Variable tp = counts.MakeVariable("true_positives");
  const Variable fn = counts.MakeVariable("false_negatives");
  const Variable tn = counts.MakeVariable("true_negatives");
  const Variable fp = counts.MakeVariable("false_positives");
  if (!inside.ok()) return Metric();
  const AllCounts now = {counts.Update(tp, true, true), counts.Update(fn, true, false),
                         counts.Update(tn, false, false), counts.Update(fp, false, true)};
  const AllCounts before = {tp.read(), fn.read(), tn.read(), fp.read()};
  const auto part = [&](const char* result, const AllCounts& all) {
    const Output place = Cast(inside, choose(inside, all), DType::kInt32);
    const auto at = [&](const Output& x) { return BuildOutput(inside, "GatherV2", {x, place, 0}); };
    const Output right = at(of_positives ? all.true_positives : all.true_negatives);
    const Output wrong = at(of_positives ? all.false_negatives : all.false_positives);
    const Output sum = Add(inside, Add(inside, right, wrong), kShareEpsilon);
    return Divide(inside.Named(result), right, sum);
  };
  const Output value = part("value", before);
  return Finish(scope, {value, part("update_op", now)}, options);
}

Output DistanceFrom(const Scope& inside, const Output& x, double wanted) {
  return BuildOutput(inside, "Abs", {Subtract(inside, x, wanted)});
}

}  // namespace

Metric TruePositivesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds,
                                 const MetricOptions& options) {
  return CountAtThresholds(scope.scope(), "true_positives", true, true, labels, predictions,
                           thresholds, options);
}

Metric TrueNegativesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds,
                                 const MetricOptions& options) {
  return CountAtThresholds(scope.scope(), "true_negatives", false, false, labels, predictions,
                           thresholds, options);
}

Metric FalsePositivesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                  const std::vector<float>& thresholds,
                                  const MetricOptions& options) {
  return CountAtThresholds(scope.scope(), "false_positives", false, true, labels, predictions,
                           thresholds, options);
}

Metric FalseNegativesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                  const std::vector<float>& thresholds,
                                  const MetricOptions& options) {
  return CountAtThresholds(scope.scope(), "false_negatives", true, false, labels, predictions,
                           thresholds, options);
}

Metric SensitivityAtSpecificity(ScopeRef scope, const Input& labels, const Input& predictions,
                                double specificity, const MetricOptions& options,
                                int num_thresholds) {
  const auto nearest = [specificity](const Scope& inside, const AllCounts& counts) {
    const Output parts = PartOf(inside, counts.true_negatives, counts.false_positives);
    return BuildOutput(inside, "ArgMin", {DistanceFrom(inside, parts, specificity), 0});
  };
  return PartAtPart(scope.scope(), "sensitivity_at_specificity", true, specificity,
                    1 + kShareEpsilon, num_thresholds, labels, predictions, options, nearest);
}

Metric SpecificityAtSensitivity(ScopeRef scope, const Input& labels, const Input& predictions,
                                double sensitivity, const MetricOptions& options,
                                int num_thresholds) {
  // Of thresholds that are equally near the last one.
  const auto last_of_nearest = [sensitivity](const Scope& inside, const AllCounts& counts) {
    const Output parts = PartOf(inside, counts.true_positives, counts.false_negatives);
    const Output distances = DistanceFrom(inside, parts, sensitivity);
    const Output nearest = Equal(inside, distances, ReduceMin(inside, distances));
    const Output numbers = BuildOutput(inside, "Cumsum", {Cast(inside, nearest, DType::kInt64), 0});
    return ArgMax(inside, numbers, 0);
  };
  return PartAtPart(scope.scope(), "specificity_at_sensitivity", false, sensitivity,
                    1 - kShareEpsilon, num_thresholds, labels, predictions, options,
                    last_of_nearest);
}

Metric PrecisionAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                             const std::vector<float>& thresholds, const MetricOptions& options) {
  return ShareAtThresholds(scope.scope(), "precision", "false_positives", false, labels,
                           predictions, thresholds, options);
}

Metric RecallAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                          const std::vector<float>& thresholds, const MetricOptions& options) {
  return ShareAtThresholds(scope.scope(), "recall", "false_negatives", true, labels, predictions,
                           thresholds, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
