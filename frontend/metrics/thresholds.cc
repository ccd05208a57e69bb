#include "frontend/metrics/thresholds.h"

#include "absl/strings/str_cat.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/metrics/threshold_counts.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

// Keeps 0/0 away, as TensorFlow does.
constexpr double kEpsilon = 1e-7;

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
    const Output sum = Add(inside, Add(inside, kEpsilon, x), y);
    return Divide(inside.Named(absl::StrCat(name, "_", of)), x, sum);
  };
  if (!inside.ok()) return Metric();
  const Output value = share("value", right.read(), wrong.read());
  return Finish(scope, {value, share("update_op", right_now, wrong_now)}, options);
}

}  // namespace

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
