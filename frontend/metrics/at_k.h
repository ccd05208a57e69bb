// Precision and recall of the k likeliest classes.
//
//   const metrics::Metric recall = metrics::RecallAtK(scope, labels, logits, 5);
//   const metrics::Metric of_cats =
//       metrics::RecallAtK(scope, labels, logits, 5, metrics::AtKOptions().class_id(3));
//
// Labels are int64 class numbers [batch, how many are right], [batch] where one is, or a sparse
// tensor of them (as many as each example has). Predictions are scores [batch, classes], or with
// ...AtTopK the numbers of the k likeliest classes [batch, k]. SparsePrecisionAtK
// is another name of PrecisionAtK. Variables: "recall_at_5/true_positive_at_5"…, of one class
// "recall_at_5_class3/true_positive_at_5_class3"…
//
// Ownership, thread safety: as metrics::Metric. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_METRICS_AT_K_H_
#define WARPBEAM_FRONTEND_METRICS_AT_K_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

struct AtKOptions {
  AtKOptions() = default;
  AtKOptions(MetricOptions options) : metric(std::move(options)) {}  // NOLINT
  // Counts only this class; the value is NaN while it has not come up.
  AtKOptions& class_id(int64_t value) {
    only_class = value;
    return *this;
  }

  MetricOptions metric;
  std::optional<int64_t> only_class;
};

// The right classes of each example.
class ClassLabels {
 public:
  template <typename T, typename = std::enable_if_t<std::is_convertible<T, Input>::value>>
  ClassLabels(const T& dense) : values(dense) {}  // NOLINT
  // `indices` are [example, place] of each of `values`, in order.
  ClassLabels(const Output& indices, const Output& values, const Output& dense_shape)
      : indices(indices), values(values), dense_shape(dense_shape) {}

  Output indices;  // not valid for dense labels
  Input values;
  Output dense_shape;
};

// How many of the k likeliest classes are right, over k.
Metric PrecisionAtK(ScopeRef scope, const ClassLabels& labels, const Input& predictions, int k,
                    const AtKOptions& options = AtKOptions());
inline Metric SparsePrecisionAtK(ScopeRef scope, const ClassLabels& labels,
                                 const Input& predictions, int k,
                                 const AtKOptions& options = AtKOptions()) {
  return PrecisionAtK(scope, labels, predictions, k, options);
}
Metric PrecisionAtTopK(ScopeRef scope, const ClassLabels& labels, const Input& top_classes,
                       const AtKOptions& options = AtKOptions());
// The part of the right classes that is among the k likeliest.
Metric RecallAtK(ScopeRef scope, const ClassLabels& labels, const Input& predictions, int k,
                 const AtKOptions& options = AtKOptions());
Metric RecallAtTopK(ScopeRef scope, const ClassLabels& labels, const Input& top_classes,
                    const AtKOptions& options = AtKOptions());

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_AT_K_H_
