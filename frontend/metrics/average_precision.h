// The mean over examples of the average precision of the k likeliest classes.
//
//   const metrics::Metric map = metrics::AveragePrecisionAtK(scope, labels, logits, 5);
//
// The average precision of one example is the sum, over those of its k likeliest classes that are
// right, of the precision among the classes as likely or likelier, over how many classes are right
// (k at most). Labels and predictions are those of at_k.h; labels below 0 or beyond the classes are
// left out. Variables: "average_precision_at_5/max_1" (the sum of the weights) and
// "average_precision_at_5/total". The value is NaN once an example had no right class, as in
// TensorFlow.
//
// Ownership, thread safety: as metrics::Metric. Errors: k below one; kept in the scope.
#ifndef WARPBEAM_FRONTEND_METRICS_AVERAGE_PRECISION_H_
#define WARPBEAM_FRONTEND_METRICS_AVERAGE_PRECISION_H_

#include "frontend/metrics/at_k.h"
#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

Metric AveragePrecisionAtK(ScopeRef scope, const ClassLabels& labels, const Input& predictions,
                           int k, const MetricOptions& options = MetricOptions());
inline Metric SparseAveragePrecisionAtK(ScopeRef scope, const ClassLabels& labels,
                                        const Input& predictions, int k,
                                        const MetricOptions& options = MetricOptions()) {
  return AveragePrecisionAtK(scope, labels, predictions, k, options);
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_AVERAGE_PRECISION_H_
