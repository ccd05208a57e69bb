// Labels and predictions as the metrics take them: of one shape, a superfluous last dimension of
// extent 1 taken off.
//
// Internal to the metrics.
//
//   const LabelPair pair = MakeLabelPair(scope, labels, predictions, DType::kBool);
//   if (!scope.ok()) return Metric();
//
// Ownership: a value. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_METRICS_LABEL_PAIR_H_
#define WARPBEAM_FRONTEND_METRICS_LABEL_PAIR_H_

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

struct LabelPair {
  Output labels;
  Output predictions;
};

// Both cast to `dtype`; kInvalid leaves the predictions' type, which the labels take.
LabelPair MakeLabelPair(const Scope& scope, const Input& labels, const Input& predictions,
                        DType dtype);

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_LABEL_PAIR_H_
