// Precision, recall and counts at given thresholds, and the sensitivity where the specificity is
// what is asked for.
//
//   const metrics::Metric p = metrics::PrecisionAtThresholds(scope, labels, scores, {0.3f, 0.5f});
//   const metrics::Metric s = metrics::SensitivityAtSpecificity(scope, labels, scores, 0.9);
//
// Value and update_op are vectors, one number a threshold: of the predictions above it, and of the
// true labels, the part that is right; 0 where there is nothing. Predictions lie in [0, 1]; one
// that does not fails the step. Variables: "precision_at_thresholds/true_positives"…
//
// Ownership, thread safety: as metrics::Metric. Errors: labels and predictions of shapes that do
// not fit, no threshold, a part that is not in [0, 1]; kept in the scope.
#ifndef WARPBEAM_FRONTEND_METRICS_THRESHOLDS_H_
#define WARPBEAM_FRONTEND_METRICS_THRESHOLDS_H_

#include <vector>

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

Metric PrecisionAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                             const std::vector<float>& thresholds,
                             const MetricOptions& options = MetricOptions());
Metric RecallAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                          const std::vector<float>& thresholds,
                          const MetricOptions& options = MetricOptions());

// How many predictions are right or wrong at each threshold. Variables: "false_negatives/
// false_negatives"…
Metric TruePositivesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds,
                                 const MetricOptions& options = MetricOptions());
Metric TrueNegativesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds,
                                 const MetricOptions& options = MetricOptions());
Metric FalsePositivesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                  const std::vector<float>& thresholds,
                                  const MetricOptions& options = MetricOptions());
Metric FalseNegativesAtThresholds(ScopeRef scope, const Input& labels, const Input& predictions,
                                  const std::vector<float>& thresholds,
                                  const MetricOptions& options = MetricOptions());

// The part of the true labels that is found (sensitivity) at that of `num_thresholds` thresholds
// where the part of the false ones that is not (specificity) is next to `specificity`; and the
// other way round. A number; both lie in [0, 1].
Metric SensitivityAtSpecificity(ScopeRef scope, const Input& labels, const Input& predictions,
                                double specificity, const MetricOptions& options = MetricOptions(),
                                int num_thresholds = 200);
Metric SpecificityAtSensitivity(ScopeRef scope, const Input& labels, const Input& predictions,
                                double sensitivity, const MetricOptions& options = MetricOptions(),
                                int num_thresholds = 200);

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_THRESHOLDS_H_
