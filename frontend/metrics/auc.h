// The area under the ROC or the precision-recall curve, by counting at many thresholds.
//
//   const metrics::Metric auc = metrics::Auc(scope, labels, nn::Softmax(scope, logits));
//
// Predictions lie in [0, 1]; one that does not fails the step. Variables: "auc/true_positives",
// "auc/false_negatives", "auc/true_negatives", "auc/false_positives", one number a threshold.
//
// Ownership, thread safety: as metrics::Metric. Errors: labels and predictions of shapes that do
// not fit are named, both, in the scope's status.
#ifndef WARPBEAM_FRONTEND_METRICS_AUC_H_
#define WARPBEAM_FRONTEND_METRICS_AUC_H_

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

enum class Curve { kRoc, kPrecisionRecall };
// How the curve goes between two thresholds: straight, or as the lower or the upper one.
enum class Summation { kTrapezoidal, kMinoring, kMajoring };

struct AucOptions {
  AucOptions& num_thresholds(int value) {
    thresholds = value;
    return *this;
  }
  AucOptions& curve(Curve value) {
    curve_kind = value;
    return *this;
  }
  AucOptions& summation_method(Summation value) {
    summation = value;
    return *this;
  }

  int thresholds = 200;
  Curve curve_kind = Curve::kRoc;
  Summation summation = Summation::kTrapezoidal;
};

Metric Auc(ScopeRef scope, const Input& labels, const Input& predictions,
           const MetricOptions& options = MetricOptions(), const AucOptions& auc = AucOptions());

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_AUC_H_
