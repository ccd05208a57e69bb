// What a metric is (tf.metrics): a value over all batches so far, and an operation that takes in
// one more.
//
//   const metrics::Metric accuracy = metrics::Accuracy(scope, labels, predictions);
//   session.Run({train::LocalVariablesInitializer(scope)});  // frontend/training/input_pipeline.h
//   for (…) session.Run({accuracy.update_op});            // gives the value after the batch, too
//   auto result = session.Run({accuracy.value});
//
// The counts are variables in GraphKeys::kLocalVariables and kMetricVariables, which no Saver saves
// and no optimizer trains: "accuracy/total", "accuracy/count". Named() names the metric.
//
// Ownership: a value; the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in
// the scope; outputs are then not valid.
#ifndef WARPBEAM_FRONTEND_METRICS_METRIC_H_
#define WARPBEAM_FRONTEND_METRICS_METRIC_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

struct Metric {
  Output value;
  Output update_op;
};

struct MetricOptions {
  // How much each value counts: of the values' rank, each dimension the same or 1; or one number.
  MetricOptions& weights(Input value) {
    metric_weights = std::move(value);
    return *this;
  }
  // Where value and update_op are added.
  MetricOptions& metrics_collections(std::vector<std::string> keys) {
    value_collections = std::move(keys);
    return *this;
  }
  MetricOptions& updates_collections(std::vector<std::string> keys) {
    update_collections = std::move(keys);
    return *this;
  }

  std::optional<Input> metric_weights;
  std::vector<std::string> value_collections;
  std::vector<std::string> update_collections;
};

// For metrics of one's own.

// The scope of a metric: named by Named(), else `fallback`, numbered where that has been taken.
Scope MetricScope(const Scope& scope, const char* fallback);
// A variable that begins at zero, in the collections above.
Variable MetricVariable(const Scope& scope, const std::string& name, const Shape& shape,
                        DType dtype = DType::kFloat);
// Adds the metric to the collections of the options, and gives it for use in `scope`.
Metric Finish(const Scope& scope, const Metric& metric, const MetricOptions& options);

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_METRICS_METRIC_H_
