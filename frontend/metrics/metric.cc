#include "frontend/metrics/metric.h"

#include "frontend/collections.h"
#include "frontend/variables/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace metrics {

Scope MetricScope(const Scope& scope, const char* fallback) {
  const std::string given = scope.OpNameOr("");
  return given.empty() ? scope.DefaultVariableScope(fallback) : scope.VariableScope(given);
}

Variable MetricVariable(const Scope& scope, const std::string& name, const Shape& shape,
                        DType dtype) {
  if (!scope.ok()) return Variable();
  VariableBuilder builder(scope, name, scope);
  builder.trainable(false);
  builder.collections({GraphKeys::kLocalVariables, GraphKeys::kMetricVariables});
  return builder.FromInitializer(ZerosInitializer(), shape, dtype);
}

Metric Finish(const Scope& scope, const Metric& metric, const MetricOptions& options) {
  if (!scope.ok() || !metric.value.valid() || !metric.update_op.valid()) return Metric();
  for (const std::string& key : options.value_collections) {
    AddToCollection(scope, key, metric.value);
  }
  for (const std::string& key : options.update_collections) {
    AddToCollection(scope, key, metric.update_op);
  }
  return {scope(metric.value), scope(metric.update_op)};
}

}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
