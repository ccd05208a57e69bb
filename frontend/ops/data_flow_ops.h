// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_
#define WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (handle: Ref(string), local_step: int64, gradient: dtype) -> ()
Operation AccumulatorApplyGradient(ScopeRef scope, const Input& handle, const Input& local_step,
    const Input& gradient);

// (handle: Ref(string)) -> (num_accumulated: int32)
Output AccumulatorNumAccumulated(ScopeRef scope, const Input& handle);

// (handle: Ref(string), new_global_step: int64) -> ()
Operation AccumulatorSetGlobalStep(ScopeRef scope, const Input& handle, const Input& new_global_step);

// (handle: Ref(string), num_required: int32) -> (average: dtype)
Output AccumulatorTakeGradient(ScopeRef scope, const Input& handle, const Input& num_required,
    DType dtype);

class BarrierAttrs : public OpAttrs {
 public:
  BarrierAttrs& shapes(const std::vector<PartialShape>& value) {
    Set("shapes", value);
    return *this;
  }
  BarrierAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  BarrierAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  BarrierAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: Ref(string))
Output Barrier(ScopeRef scope, const std::vector<DType>& component_types,
    const BarrierAttrs& attrs = BarrierAttrs());

class BarrierCloseAttrs : public OpAttrs {
 public:
  BarrierCloseAttrs& cancel_pending_enqueues(bool value) {
    Set("cancel_pending_enqueues", value);
    return *this;
  }
};
// (handle: Ref(string)) -> ()
Operation BarrierClose(ScopeRef scope, const Input& handle,
    const BarrierCloseAttrs& attrs = BarrierCloseAttrs());

// (handle: Ref(string)) -> (size: int32)
Output BarrierIncompleteSize(ScopeRef scope, const Input& handle);

// (handle: Ref(string), keys: string, values: T) -> ()
Operation BarrierInsertMany(ScopeRef scope, const Input& handle, const Input& keys,
    const Input& values, int64_t component_index);

// (handle: Ref(string)) -> (size: int32)
Output BarrierReadySize(ScopeRef scope, const Input& handle);

class BarrierTakeManyAttrs : public OpAttrs {
 public:
  BarrierTakeManyAttrs& allow_small_batch(bool value) {
    Set("allow_small_batch", value);
    return *this;
  }
  BarrierTakeManyAttrs& wait_for_incomplete(bool value) {
    Set("wait_for_incomplete", value);
    return *this;
  }
  BarrierTakeManyAttrs& timeout_ms(int64_t value) {
    Set("timeout_ms", value);
    return *this;
  }
};
struct BarrierTakeManyOutputs {
  Output indices;
  Output keys;
  std::vector<Output> values;
  Operation op;
};
// (handle: Ref(string), num_elements: int32) -> (indices: int64, keys: string, values:
//     component_types)
BarrierTakeManyOutputs BarrierTakeMany(ScopeRef scope, const Input& handle,
    const Input& num_elements, const std::vector<DType>& component_types,
    const BarrierTakeManyAttrs& attrs = BarrierTakeManyAttrs());

class ConditionalAccumulatorAttrs : public OpAttrs {
 public:
  ConditionalAccumulatorAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  ConditionalAccumulatorAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  ConditionalAccumulatorAttrs& reduction_type(const std::string& value) {
    Set("reduction_type", value);
    return *this;
  }
};
// () -> (handle: Ref(string))
Output ConditionalAccumulator(ScopeRef scope, DType dtype, const PartialShape& shape,
    const ConditionalAccumulatorAttrs& attrs = ConditionalAccumulatorAttrs());

// (handle: string) -> ()
Operation DeleteSessionTensor(ScopeRef scope, const Input& handle);

// (data: T, partitions: int32) -> (outputs: num_partitions * T)
std::vector<Output> DynamicPartition(ScopeRef scope, const Input& data, const Input& partitions,
    int64_t num_partitions);

// (indices: N * int32, data: N * T) -> (merged: T)
Output DynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);

class FIFOQueueAttrs : public OpAttrs {
 public:
  FIFOQueueAttrs& shapes(const std::vector<PartialShape>& value) {
    Set("shapes", value);
    return *this;
  }
  FIFOQueueAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  FIFOQueueAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  FIFOQueueAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: Ref(string))
Output FIFOQueue(ScopeRef scope, const std::vector<DType>& component_types,
    const FIFOQueueAttrs& attrs = FIFOQueueAttrs());

class FIFOQueueV2Attrs : public OpAttrs {
 public:
  FIFOQueueV2Attrs& shapes(const std::vector<PartialShape>& value) {
    Set("shapes", value);
    return *this;
  }
  FIFOQueueV2Attrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  FIFOQueueV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  FIFOQueueV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output FIFOQueueV2(ScopeRef scope, const std::vector<DType>& component_types,
    const FIFOQueueV2Attrs& attrs = FIFOQueueV2Attrs());

// (resource: resource) -> (handle: Ref(string))
Output FakeQueue(ScopeRef scope, const Input& resource);

// (value: T) -> (handle: string)
Output GetSessionHandle(ScopeRef scope, const Input& value);

// (value: T) -> (handle: resource)
Output GetSessionHandleV2(ScopeRef scope, const Input& value);

// (handle: string) -> (value: dtype)
Output GetSessionTensor(ScopeRef scope, const Input& handle, DType dtype);

class MapClearAttrs : public OpAttrs {
 public:
  MapClearAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapClearAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapClearAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapClearAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> ()
Operation MapClear(ScopeRef scope, const std::vector<DType>& dtypes,
    const MapClearAttrs& attrs = MapClearAttrs());

class MapIncompleteSizeAttrs : public OpAttrs {
 public:
  MapIncompleteSizeAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapIncompleteSizeAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapIncompleteSizeAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapIncompleteSizeAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (size: int32)
Output MapIncompleteSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const MapIncompleteSizeAttrs& attrs = MapIncompleteSizeAttrs());

class MapPeekAttrs : public OpAttrs {
 public:
  MapPeekAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapPeekAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapPeekAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapPeekAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (key: int64, indices: int32) -> (values: dtypes)
std::vector<Output> MapPeek(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const MapPeekAttrs& attrs = MapPeekAttrs());

class MapSizeAttrs : public OpAttrs {
 public:
  MapSizeAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapSizeAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapSizeAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapSizeAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (size: int32)
Output MapSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const MapSizeAttrs& attrs = MapSizeAttrs());

class MapStageAttrs : public OpAttrs {
 public:
  MapStageAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapStageAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapStageAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapStageAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (key: int64, indices: int32, values: fake_dtypes) -> ()
Operation MapStage(ScopeRef scope, const Input& key, const Input& indices, const InputList& values,
    const std::vector<DType>& dtypes, const MapStageAttrs& attrs = MapStageAttrs());

class MapUnstageAttrs : public OpAttrs {
 public:
  MapUnstageAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapUnstageAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapUnstageAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapUnstageAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (key: int64, indices: int32) -> (values: dtypes)
std::vector<Output> MapUnstage(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const MapUnstageAttrs& attrs = MapUnstageAttrs());

class MapUnstageNoKeyAttrs : public OpAttrs {
 public:
  MapUnstageNoKeyAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  MapUnstageNoKeyAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  MapUnstageNoKeyAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MapUnstageNoKeyAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
struct MapUnstageNoKeyOutputs {
  Output key;
  std::vector<Output> values;
  Operation op;
};
// (indices: int32) -> (key: int64, values: dtypes)
MapUnstageNoKeyOutputs MapUnstageNoKey(ScopeRef scope, const Input& indices,
    const std::vector<DType>& dtypes, const MapUnstageNoKeyAttrs& attrs = MapUnstageNoKeyAttrs());

class OrderedMapClearAttrs : public OpAttrs {
 public:
  OrderedMapClearAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapClearAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapClearAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapClearAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> ()
Operation OrderedMapClear(ScopeRef scope, const std::vector<DType>& dtypes,
    const OrderedMapClearAttrs& attrs = OrderedMapClearAttrs());

class OrderedMapIncompleteSizeAttrs : public OpAttrs {
 public:
  OrderedMapIncompleteSizeAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapIncompleteSizeAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapIncompleteSizeAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapIncompleteSizeAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (size: int32)
Output OrderedMapIncompleteSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const OrderedMapIncompleteSizeAttrs& attrs = OrderedMapIncompleteSizeAttrs());

class OrderedMapPeekAttrs : public OpAttrs {
 public:
  OrderedMapPeekAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapPeekAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapPeekAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapPeekAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (key: int64, indices: int32) -> (values: dtypes)
std::vector<Output> OrderedMapPeek(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const OrderedMapPeekAttrs& attrs = OrderedMapPeekAttrs());

class OrderedMapSizeAttrs : public OpAttrs {
 public:
  OrderedMapSizeAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapSizeAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapSizeAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapSizeAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (size: int32)
Output OrderedMapSize(ScopeRef scope, const std::vector<DType>& dtypes,
    const OrderedMapSizeAttrs& attrs = OrderedMapSizeAttrs());

class OrderedMapStageAttrs : public OpAttrs {
 public:
  OrderedMapStageAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapStageAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapStageAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapStageAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (key: int64, indices: int32, values: fake_dtypes) -> ()
Operation OrderedMapStage(ScopeRef scope, const Input& key, const Input& indices,
    const InputList& values, const std::vector<DType>& dtypes,
    const OrderedMapStageAttrs& attrs = OrderedMapStageAttrs());

class OrderedMapUnstageAttrs : public OpAttrs {
 public:
  OrderedMapUnstageAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapUnstageAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapUnstageAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapUnstageAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// (key: int64, indices: int32) -> (values: dtypes)
std::vector<Output> OrderedMapUnstage(ScopeRef scope, const Input& key, const Input& indices,
    const std::vector<DType>& dtypes, const OrderedMapUnstageAttrs& attrs = OrderedMapUnstageAttrs());

class OrderedMapUnstageNoKeyAttrs : public OpAttrs {
 public:
  OrderedMapUnstageNoKeyAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  OrderedMapUnstageNoKeyAttrs& memory_limit(int64_t value) {
    Set("memory_limit", value);
    return *this;
  }
  OrderedMapUnstageNoKeyAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  OrderedMapUnstageNoKeyAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
struct OrderedMapUnstageNoKeyOutputs {
  Output key;
  std::vector<Output> values;
  Operation op;
};
// (indices: int32) -> (key: int64, values: dtypes)
OrderedMapUnstageNoKeyOutputs OrderedMapUnstageNoKey(ScopeRef scope, const Input& indices,
    const std::vector<DType>& dtypes,
    const OrderedMapUnstageNoKeyAttrs& attrs = OrderedMapUnstageNoKeyAttrs());

class PaddingFIFOQueueAttrs : public OpAttrs {
 public:
  PaddingFIFOQueueAttrs& shapes(const std::vector<PartialShape>& value) {
    Set("shapes", value);
    return *this;
  }
  PaddingFIFOQueueAttrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  PaddingFIFOQueueAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  PaddingFIFOQueueAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: Ref(string))
Output PaddingFIFOQueue(ScopeRef scope, const std::vector<DType>& component_types,
    const PaddingFIFOQueueAttrs& attrs = PaddingFIFOQueueAttrs());

class PaddingFIFOQueueV2Attrs : public OpAttrs {
 public:
  PaddingFIFOQueueV2Attrs& shapes(const std::vector<PartialShape>& value) {
    Set("shapes", value);
    return *this;
  }
  PaddingFIFOQueueV2Attrs& capacity(int64_t value) {
    Set("capacity", value);
    return *this;
  }
  PaddingFIFOQueueV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  PaddingFIFOQueueV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (handle: resource)
Output PaddingFIFOQueueV2(ScopeRef scope, const std::vector<DType>& component_types,
    const PaddingFIFOQueueV2Attrs& attrs = PaddingFIFOQueueV2Attrs());

// (indices: N * int32, data: N * T) -> (merged: T)
Output ParallelDynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_
