// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/data_flow_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

std::vector<Output> DynamicPartition(ScopeRef scope, const Input& data, const Input& partitions,
    int64_t num_partitions) {
  return BuildOutputs(
      scope.scope(), "DynamicPartition", {data, partitions},
      OpAttrs()
          .Set("num_partitions", num_partitions));
}

Output DynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data) {
  return BuildOutput(
      scope.scope(), "DynamicStitch", {indices, data},
      OpAttrs());
}

Output ParallelDynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data) {
  return BuildOutput(
      scope.scope(), "ParallelDynamicStitch", {indices, data},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
