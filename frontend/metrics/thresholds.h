// Precision and recall at given thresholds.
//
//   const metrics::Metric p = metrics::PrecisionAtThresholds(scope, labels, scores, {0.3f, 0.5f});
//
// Value and update_op are vectors, one number a threshold: of the predictions above it, and of the
// true labels, the part that is right; 0 where there is nothing. Predictions lie in [0, 1]; one
// that does not fails the step. Variables: "precision_at_thresholds/true_positives"…
//
// Ownership, thread safety: as metrics::Metric. Errors: labels and predictions of shapes that do
// not fit, no threshold; kept in the scope.
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

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_THRESHOLDS_H_
