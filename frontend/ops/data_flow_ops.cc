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

Output FIFOQueue(ScopeRef scope, const std::vector<DType>& component_types,
    const FIFOQueueAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "FIFOQueue", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Output FIFOQueueV2(ScopeRef scope, const std::vector<DType>& component_types,
    const FIFOQueueV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "FIFOQueueV2", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Output FakeQueue(ScopeRef scope, const Input& resource) {
  return BuildOutput(
      scope.scope(), "FakeQueue", {resource},
      OpAttrs());
}

Output PaddingFIFOQueue(ScopeRef scope, const std::vector<DType>& component_types,
    const PaddingFIFOQueueAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "PaddingFIFOQueue", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Output PaddingFIFOQueueV2(ScopeRef scope, const std::vector<DType>& component_types,
    const PaddingFIFOQueueV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "PaddingFIFOQueueV2", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Output ParallelDynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data) {
  return BuildOutput(
      scope.scope(), "ParallelDynamicStitch", {indices, data},
      OpAttrs());
}

Output PriorityQueue(ScopeRef scope, const std::vector<PartialShape>& shapes,
    const PriorityQueueAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "PriorityQueue", {},
      OpAttrs(attrs)
          .Set("shapes", shapes));
}

Output PriorityQueueV2(ScopeRef scope, const std::vector<PartialShape>& shapes,
    const PriorityQueueV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "PriorityQueueV2", {},
      OpAttrs(attrs)
          .Set("shapes", shapes));
}

Operation QueueClose(ScopeRef scope, const Input& handle, const QueueCloseAttrs& attrs) {
  return BuildOp(
      scope.scope(), "QueueClose", {handle},
      attrs);
}

Operation QueueCloseV2(ScopeRef scope, const Input& handle, const QueueCloseV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "QueueCloseV2", {handle},
      attrs);
}

std::vector<Output> QueueDequeue(ScopeRef scope, const Input& handle,
    const std::vector<DType>& component_types, const QueueDequeueAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "QueueDequeue", {handle},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

std::vector<Output> QueueDequeueMany(ScopeRef scope, const Input& handle, const Input& n,
    const std::vector<DType>& component_types, const QueueDequeueManyAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "QueueDequeueMany", {handle, n},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

std::vector<Output> QueueDequeueManyV2(ScopeRef scope, const Input& handle, const Input& n,
    const std::vector<DType>& component_types, const QueueDequeueManyV2Attrs& attrs) {
  return BuildOutputs(
      scope.scope(), "QueueDequeueManyV2", {handle, n},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

std::vector<Output> QueueDequeueUpTo(ScopeRef scope, const Input& handle, const Input& n,
    const std::vector<DType>& component_types, const QueueDequeueUpToAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "QueueDequeueUpTo", {handle, n},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

std::vector<Output> QueueDequeueUpToV2(ScopeRef scope, const Input& handle, const Input& n,
    const std::vector<DType>& component_types, const QueueDequeueUpToV2Attrs& attrs) {
  return BuildOutputs(
      scope.scope(), "QueueDequeueUpToV2", {handle, n},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

std::vector<Output> QueueDequeueV2(ScopeRef scope, const Input& handle,
    const std::vector<DType>& component_types, const QueueDequeueV2Attrs& attrs) {
  return BuildOutputs(
      scope.scope(), "QueueDequeueV2", {handle},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Operation QueueEnqueue(ScopeRef scope, const Input& handle, const InputList& components,
    const QueueEnqueueAttrs& attrs) {
  return BuildOp(
      scope.scope(), "QueueEnqueue", {handle, components},
      attrs);
}

Operation QueueEnqueueMany(ScopeRef scope, const Input& handle, const InputList& components,
    const QueueEnqueueManyAttrs& attrs) {
  return BuildOp(
      scope.scope(), "QueueEnqueueMany", {handle, components},
      attrs);
}

Operation QueueEnqueueManyV2(ScopeRef scope, const Input& handle, const InputList& components,
    const QueueEnqueueManyV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "QueueEnqueueManyV2", {handle, components},
      attrs);
}

Operation QueueEnqueueV2(ScopeRef scope, const Input& handle, const InputList& components,
    const QueueEnqueueV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "QueueEnqueueV2", {handle, components},
      attrs);
}

Output QueueIsClosed(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "QueueIsClosed", {handle},
      OpAttrs());
}

Output QueueIsClosedV2(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "QueueIsClosedV2", {handle},
      OpAttrs());
}

Output QueueSize(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "QueueSize", {handle},
      OpAttrs());
}

Output QueueSizeV2(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "QueueSizeV2", {handle},
      OpAttrs());
}

Output RandomShuffleQueue(ScopeRef scope, const std::vector<DType>& component_types,
    const RandomShuffleQueueAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomShuffleQueue", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Output RandomShuffleQueueV2(ScopeRef scope, const std::vector<DType>& component_types,
    const RandomShuffleQueueV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomShuffleQueueV2", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Output Stack(ScopeRef scope, DType elem_type, const StackAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Stack", {},
      OpAttrs(attrs)
          .Set("elem_type", elem_type));
}

Operation StackClose(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "StackClose", {handle},
      OpAttrs());
}

Operation StackCloseV2(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "StackCloseV2", {handle},
      OpAttrs());
}

Output StackPop(ScopeRef scope, const Input& handle, DType elem_type) {
  return BuildOutput(
      scope.scope(), "StackPop", {handle},
      OpAttrs()
          .Set("elem_type", elem_type));
}

Output StackPopV2(ScopeRef scope, const Input& handle, DType elem_type) {
  return BuildOutput(
      scope.scope(), "StackPopV2", {handle},
      OpAttrs()
          .Set("elem_type", elem_type));
}

Output StackPush(ScopeRef scope, const Input& handle, const Input& elem, const StackPushAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StackPush", {handle, elem},
      attrs);
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

Output TensorArray(ScopeRef scope, const Input& size, DType dtype, const TensorArrayAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorArray", {size},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

Operation TensorArrayClose(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "TensorArrayClose", {handle},
      OpAttrs());
}

Operation TensorArrayCloseV2(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "TensorArrayCloseV2", {handle},
      OpAttrs());
}

Operation TensorArrayCloseV3(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "TensorArrayCloseV3", {handle},
      OpAttrs());
}

TensorArrayConcatOutputs TensorArrayConcat(ScopeRef scope, const Input& handle,
    const Input& flow_in, DType dtype, const TensorArrayConcatAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "TensorArrayConcat", {handle, flow_in},
      OpAttrs(attrs)
          .Set("dtype", dtype));
  TensorArrayConcatOutputs outputs;
  outputs.value = OutputOf(here, built, "value");
  outputs.lengths = OutputOf(here, built, "lengths");
  outputs.op = built;
  return outputs;
}

TensorArrayConcatV2Outputs TensorArrayConcatV2(ScopeRef scope, const Input& handle,
    const Input& flow_in, DType dtype, const TensorArrayConcatV2Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "TensorArrayConcatV2", {handle, flow_in},
      OpAttrs(attrs)
          .Set("dtype", dtype));
  TensorArrayConcatV2Outputs outputs;
  outputs.value = OutputOf(here, built, "value");
  outputs.lengths = OutputOf(here, built, "lengths");
  outputs.op = built;
  return outputs;
}

TensorArrayConcatV3Outputs TensorArrayConcatV3(ScopeRef scope, const Input& handle,
    const Input& flow_in, DType dtype, const TensorArrayConcatV3Attrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "TensorArrayConcatV3", {handle, flow_in},
      OpAttrs(attrs)
          .Set("dtype", dtype));
  TensorArrayConcatV3Outputs outputs;
  outputs.value = OutputOf(here, built, "value");
  outputs.lengths = OutputOf(here, built, "lengths");
  outputs.op = built;
  return outputs;
}

Output TensorArrayGather(ScopeRef scope, const Input& handle, const Input& indices,
    const Input& flow_in, DType dtype, const TensorArrayGatherAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TensorArrayGather", {handle, indices, flow_in},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
