// Precision and recall of the k likeliest classes.
//
//   const metrics::Metric recall = metrics::RecallAtK(scope, labels, logits, 5);
//
// Labels are int64 class numbers [batch, how many are right], or [batch] where one is; predictions
// are scores [batch, classes]. Variables: "recall_at_5/true_positive_at_5"…
//
// Ownership, thread safety: as metrics::Metric. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_METRICS_AT_K_H_
#define WARPBEAM_FRONTEND_METRICS_AT_K_H_

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

// Of the k likeliest classes those that are right, over k.
Metric PrecisionAtK(ScopeRef scope, const Input& labels, const Input& predictions, int k,
                    const MetricOptions& options = MetricOptions());
// Of the right classes those among the k likeliest.
Metric RecallAtK(ScopeRef scope, const Input& labels, const Input& predictions, int k,
                 const MetricOptions& options = MetricOptions());

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_AT_K_H_
