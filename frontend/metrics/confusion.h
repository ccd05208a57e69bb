// Counts of right and wrong decisions, and precision and recall made of them.
//
//   const metrics::Metric precision = metrics::Precision(scope, labels, Greater(scope, p, 0.5f));
//   const metrics::Metric missed = metrics::FalseNegatives(scope, labels, predictions);
//
// Labels and predictions become booleans: anything but zero is true. Variables: "precision/
// true_positives/count"…
//
// Ownership, thread safety: as metrics::Metric. Errors: labels and predictions of shapes that do
// not fit are named, both, in the scope's status.
#ifndef WARPBEAM_FRONTEND_METRICS_CONFUSION_H_
#define WARPBEAM_FRONTEND_METRICS_CONFUSION_H_

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

Metric TruePositives(ScopeRef scope, const Input& labels, const Input& predictions,
                     const MetricOptions& options = MetricOptions());
Metric TrueNegatives(ScopeRef scope, const Input& labels, const Input& predictions,
                     const MetricOptions& options = MetricOptions());
Metric FalsePositives(ScopeRef scope, const Input& labels, const Input& predictions,
                      const MetricOptions& options = MetricOptions());
Metric FalseNegatives(ScopeRef scope, const Input& labels, const Input& predictions,
                      const MetricOptions& options = MetricOptions());

// The part of what was predicted, and of what is there, that is right; 0 where there is nothing.
Metric Precision(ScopeRef scope, const Input& labels, const Input& predictions,
                 const MetricOptions& options = MetricOptions());
Metric Recall(ScopeRef scope, const Input& labels, const Input& predictions,
              const MetricOptions& options = MetricOptions());

// The mean over the classes of intersection over union; labels and predictions are class numbers
// below `num_classes`. Variable: "mean_iou/total_confusion_matrix". Its update_op is the matrix.
Metric MeanIou(ScopeRef scope, const Input& labels, const Input& predictions, int num_classes,
               const MetricOptions& options = MetricOptions());

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_CONFUSION_H_
