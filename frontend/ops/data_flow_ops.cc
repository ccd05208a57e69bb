// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/data_flow_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation AccumulatorApplyGradient(ScopeRef scope, const Input& handle, const Input& local_step,
    const Input& gradient) {
  return BuildOp(
      scope.scope(), "AccumulatorApplyGradient", {handle, local_step, gradient},
      OpAttrs());
}

Output AccumulatorNumAccumulated(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "AccumulatorNumAccumulated", {handle},
      OpAttrs());
}

Operation AccumulatorSetGlobalStep(ScopeRef scope, const Input& handle, const Input& new_global_step) {
  return BuildOp(
      scope.scope(), "AccumulatorSetGlobalStep", {handle, new_global_step},
      OpAttrs());
}

Output AccumulatorTakeGradient(ScopeRef scope, const Input& handle, const Input& num_required,
    DType dtype) {
  return BuildOutput(
      scope.scope(), "AccumulatorTakeGradient", {handle, num_required},
      OpAttrs()
          .Set("dtype", dtype));
}

Output ConditionalAccumulator(ScopeRef scope, DType dtype, const PartialShape& shape,
    const ConditionalAccumulatorAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ConditionalAccumulator", {},
      OpAttrs(attrs)
          .Set("dtype", dtype)
          .Set("shape", shape));
}

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

Operation StackCloseV2(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "StackCloseV2", {handle},
      OpAttrs());
}

Output StackPopV2(ScopeRef scope, const Input& handle, DType elem_type) {
  return BuildOutput(
      scope.scope(), "StackPopV2", {handle},
      OpAttrs()
          .Set("elem_type", elem_type));
}

Output StackPushV2(ScopeRef scope, const Input& handle, const Input& elem,
    const StackPushV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StackPushV2", {handle, elem},
      attrs);
}

Output StackV2(ScopeRef scope, const Input& max_size, DType elem_type, const StackV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StackV2", {max_size},
      OpAttrs(attrs)
          .Set("elem_type", elem_type));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
