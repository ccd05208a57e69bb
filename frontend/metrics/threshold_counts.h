// Right and wrong decisions counted at many thresholds, for the metrics made of them.
//
// Internal to the metrics.
//
//   ThresholdCounts counts(inside, labels, predictions, thresholds, options);
//   const Variable tp = counts.MakeVariable("true_positives");          // one number a threshold
//   if (!inside.ok()) return Metric();
//   const Output with_batch = counts.Update(tp, true, true);
//
// Predictions lie in [0, 1]; one that does not fails the step.
//
// Ownership: a value; the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in
// the scope; outputs are then not valid.
#ifndef WARPBEAM_FRONTEND_METRICS_THRESHOLD_COUNTS_H_
#define WARPBEAM_FRONTEND_METRICS_THRESHOLD_COUNTS_H_

#include <vector>

#include "frontend/metrics/metric.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

class ThresholdCounts {
 public:
  ThresholdCounts(const Scope& inside, const Input& labels, const Input& predictions,
                  const std::vector<float>& thresholds, const MetricOptions& options);

  Variable MakeVariable(const char* name) const;
  // Adds to a variable how often `decided` was decided where the truth is `truth`; the sum with
  // this batch.
  Output Update(const Variable& variable, bool truth, bool decided) const;

 private:
  const Scope inside_;
  const int num_thresholds_;
  Output truth_, untruth_;      // of the examples, a row
  Output positive_, negative_;  // a row for each threshold
  Output weights_;              // not valid for none
};

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_THRESHOLD_COUNTS_H_
