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

// (data: T, partitions: int32) -> (outputs: num_partitions * T)
std::vector<Output> DynamicPartition(ScopeRef scope, const Input& data, const Input& partitions,
    int64_t num_partitions);

// (indices: N * int32, data: N * T) -> (merged: T)
Output DynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);

// (indices: N * int32, data: N * T) -> (merged: T)
Output ParallelDynamicStitch(ScopeRef scope, const InputList& indices, const InputList& data);

// (handle: resource) -> ()
Operation StackCloseV2(ScopeRef scope, const Input& handle);

// (handle: resource) -> (elem: elem_type)
Output StackPopV2(ScopeRef scope, const Input& handle, DType elem_type);

class StackPushV2Attrs : public OpAttrs {
 public:
  StackPushV2Attrs& swap_memory(bool value) {
    Set("swap_memory", value);
    return *this;
  }
};
// (handle: resource, elem: T) -> (output: T)
Output StackPushV2(ScopeRef scope, const Input& handle, const Input& elem,
    const StackPushV2Attrs& attrs = StackPushV2Attrs());

class StackV2Attrs : public OpAttrs {
 public:
  StackV2Attrs& stack_name(const std::string& value) {
    Set("stack_name", value);
    return *this;
  }
};
// (max_size: int32) -> (handle: resource)
Output StackV2(ScopeRef scope, const Input& max_size, DType elem_type,
    const StackV2Attrs& attrs = StackV2Attrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_DATA_FLOW_OPS_H_
