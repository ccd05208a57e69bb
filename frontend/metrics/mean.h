// Metrics that are a mean over all batches: of values, of hits, of errors.
//
//   const metrics::Metric loss = metrics::Mean(scope, losses);
//   const metrics::Metric right = metrics::Accuracy(scope, labels, ArgMax(scope, logits, 1));
//   // The right class is among the five likeliest:
//   const metrics::Metric top5 = metrics::Mean(scope, Cast(scope, in_top_5, DType::kFloat));
//
// Ownership, thread safety: as metrics::Metric. Errors: labels and predictions of shapes that do
// not fit are named, both, in the scope's status.
#ifndef WARPBEAM_FRONTEND_METRICS_MEAN_H_
#define WARPBEAM_FRONTEND_METRICS_MEAN_H_

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

Metric Mean(ScopeRef scope, const Input& values, const MetricOptions& options = MetricOptions());
// How often predictions equal labels.
Metric Accuracy(ScopeRef scope, const Input& labels, const Input& predictions,
                const MetricOptions& options = MetricOptions());
Metric MeanSquaredError(ScopeRef scope, const Input& labels, const Input& predictions,
                        const MetricOptions& options = MetricOptions());
Metric RootMeanSquaredError(ScopeRef scope, const Input& labels, const Input& predictions,
                            const MetricOptions& options = MetricOptions());
Metric MeanAbsoluteError(ScopeRef scope, const Input& labels, const Input& predictions,
                         const MetricOptions& options = MetricOptions());
// |labels - predictions| / normalizer, and 0 where the normalizer is 0.
Metric MeanRelativeError(ScopeRef scope, const Input& labels, const Input& predictions,
                         const Input& normalizer, const MetricOptions& options = MetricOptions());
// 1 - the scalar product along `dim`; both are taken to be of length 1.
Metric MeanCosineDistance(ScopeRef scope, const Input& labels, const Input& predictions, int dim,
                          const MetricOptions& options = MetricOptions());
// The part of the values that is below `threshold`.
Metric PercentageBelow(ScopeRef scope, const Input& values, const Input& threshold,
                       const MetricOptions& options = MetricOptions());
// The mean of each element over all batches, which are of one shape. Variables:
// "mean/total_tensor", "mean/count_tensor".
Metric MeanTensor(ScopeRef scope, const Input& values,
                  const MetricOptions& options = MetricOptions());
// The mean over the classes of how often the class was right. Variables: "mean_accuracy/total" and
// "mean_accuracy/count", one number a class. Its update_op is the accuracy of each class.
Metric MeanPerClassAccuracy(ScopeRef scope, const Input& labels, const Input& predictions,
                            int num_classes, const MetricOptions& options = MetricOptions());

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_MEAN_H_
