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

Output Barrier(ScopeRef scope, const std::vector<DType>& component_types, const BarrierAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Barrier", {},
      OpAttrs(attrs)
          .Set("component_types", component_types));
}

Operation BarrierClose(ScopeRef scope, const Input& handle, const BarrierCloseAttrs& attrs) {
  return BuildOp(
      scope.scope(), "BarrierClose", {handle},
      attrs);
}

Output BarrierIncompleteSize(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "BarrierIncompleteSize", {handle},
      OpAttrs());
}

Operation BarrierInsertMany(ScopeRef scope, const Input& handle, const Input& keys,
    const Input& values, int64_t component_index) {
  return BuildOp(
      scope.scope(), "BarrierInsertMany", {handle, keys, values},
      OpAttrs()
          .Set("component_index", component_index));
}

Output BarrierReadySize(ScopeRef scope, const Input& handle) {
  return BuildOutput(
      scope.scope(), "BarrierReadySize", {handle},
      OpAttrs());
}

BarrierTakeManyOutputs BarrierTakeMany(ScopeRef scope, const Input& handle,
    const Input& num_elements, const std::vector<DType>& component_types,
    const BarrierTakeManyAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "BarrierTakeMany", {handle, num_elements},
      OpAttrs(attrs)
          .Set("component_types", component_types));
  BarrierTakeManyOutputs outputs;
  outputs.indices = OutputOf(here, built, "indices");
  outputs.keys = OutputOf(here, built, "keys");
  outputs.values = OutputsOf(here, built, "values");
  outputs.op = built;
  return outputs;
}

Output ConditionalAccumulator(ScopeRef scope, DType dtype, const PartialShape& shape,
    const ConditionalAccumulatorAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ConditionalAccumulator", {},
      OpAttrs(attrs)
          .Set("dtype", dtype)
          .Set("shape", shape));
}

Operation DeleteSessionTensor(ScopeRef scope, const Input& handle) {
  return BuildOp(
      scope.scope(), "DeleteSessionTensor", {handle},
      OpAttrs());
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

Output GetSessionHandle(ScopeRef scope, const Input& value) {
  return BuildOutput(
      scope.scope(), "GetSessionHandle", {value},
      OpAttrs());
}

Output GetSessionHandleV2(ScopeRef scope, const Input& value) {
  return BuildOutput(
      scope.scope(), "GetSessionHandleV2", {value},
      OpAttrs());
}

Output GetSessionTensor(ScopeRef scope, const Input& handle, DType dtype) {
  return BuildOutput(
      scope.scope(), "GetSessionTensor", {handle},
      OpAttrs()
          .Set("dtype", dtype));
}

Operation MapClear(ScopeRef scope, const std::vector<DType>& dtypes, const MapClearAttrs& attrs) {
  return BuildOp(
      scope.scope(), "MapClear", {},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

Output MapIncompleteSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const MapIncompleteSizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MapIncompleteSize", {},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

std::vector<Output> MapPeek(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const MapPeekAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "MapPeek", {key, indices},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

Output MapSize(ScopeRef scope, const std::vector<DType>& dtypes, const MapSizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "MapSize", {},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

Operation MapStage(ScopeRef scope, const Input& key, const Input& indices, const InputList& values,
    const std::vector<DType>& dtypes, const MapStageAttrs& attrs) {
  return BuildOp(
      scope.scope(), "MapStage", {key, indices, values},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

std::vector<Output> MapUnstage(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const MapUnstageAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "MapUnstage", {key, indices},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

MapUnstageNoKeyOutputs MapUnstageNoKey(ScopeRef scope, const Input& indices,
    const std::vector<DType>& dtypes, const MapUnstageNoKeyAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "MapUnstageNoKey", {indices},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
  MapUnstageNoKeyOutputs outputs;
  outputs.key = OutputOf(here, built, "key");
  outputs.values = OutputsOf(here, built, "values");
  outputs.op = built;
  return outputs;
}

Operation OrderedMapClear(ScopeRef scope, const std::vector<DType>& dtypes,
    const OrderedMapClearAttrs& attrs) {
  return BuildOp(
      scope.scope(), "OrderedMapClear", {},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

Output OrderedMapIncompleteSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const OrderedMapIncompleteSizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "OrderedMapIncompleteSize", {},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

std::vector<Output> OrderedMapPeek(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const OrderedMapPeekAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "OrderedMapPeek", {key, indices},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

Output OrderedMapSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const OrderedMapSizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "OrderedMapSize", {},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

Operation OrderedMapStage(ScopeRef scope, const Input& key, const Input& indices,
    const InputList& values, const std::vector<DType>& dtypes, const OrderedMapStageAttrs& attrs) {
  return BuildOp(
      scope.scope(), "OrderedMapStage", {key, indices, values},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

std::vector<Output> OrderedMapUnstage(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const OrderedMapUnstageAttrs& attrs) {
  return BuildOutputs(
      scope.scope(), "OrderedMapUnstage", {key, indices},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
}

OrderedMapUnstageNoKeyOutputs OrderedMapUnstageNoKey(ScopeRef scope, const Input& indices,
    const std::vector<DType>& dtypes, const OrderedMapUnstageNoKeyAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "OrderedMapUnstageNoKey", {indices},
      OpAttrs(attrs)
          .Set("dtypes", dtypes));
  OrderedMapUnstageNoKeyOutputs outputs;
  outputs.key = OutputOf(here, built, "key");
  outputs.values = OutputsOf(here, built, "values");
  outputs.op = built;
  return outputs;
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

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
