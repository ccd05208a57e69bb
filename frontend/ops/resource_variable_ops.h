// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RESOURCE_VARIABLE_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RESOURCE_VARIABLE_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (resource: resource, value: dtype) -> ()
Operation AssignAddVariableOp(ScopeRef scope, const Input& resource, const Input& value);

// (resource: resource, value: dtype) -> ()
Operation AssignSubVariableOp(ScopeRef scope, const Input& resource, const Input& value);

class AssignVariableOpAttrs : public OpAttrs {
 public:
  AssignVariableOpAttrs& validate_shape(bool value) {
    Set("validate_shape", value);
    return *this;
  }
};
// (resource: resource, value: dtype) -> ()
Operation AssignVariableOp(ScopeRef scope, const Input& resource, const Input& value,
    const AssignVariableOpAttrs& attrs = AssignVariableOpAttrs());

// (mutex_lock: variant) -> ()
Operation ConsumeMutexLock(ScopeRef scope, const Input& mutex_lock);

class DestroyResourceOpAttrs : public OpAttrs {
 public:
  DestroyResourceOpAttrs& ignore_lookup_error(bool value) {
    Set("ignore_lookup_error", value);
    return *this;
  }
};
// (resource: resource) -> ()
Operation DestroyResourceOp(ScopeRef scope, const Input& resource,
    const DestroyResourceOpAttrs& attrs = DestroyResourceOpAttrs());

// (resource: resource) -> ()
Operation DisableCopyOnRead(ScopeRef scope, const Input& resource);

// (mutex: resource) -> (mutex_lock: variant)
Output MutexLock(ScopeRef scope, const Input& mutex);

class MutexV2Attrs : public OpAttrs {
 public:
  MutexV2Attrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  MutexV2Attrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (resource: resource)
Output MutexV2(ScopeRef scope, const MutexV2Attrs& attrs = MutexV2Attrs());

// (resource: resource) -> (value: dtype)
Output ReadVariableOp(ScopeRef scope, const Input& resource, DType dtype);

class ResourceGatherAttrs : public OpAttrs {
 public:
  ResourceGatherAttrs& batch_dims(int64_t value) {
    Set("batch_dims", value);
    return *this;
  }
  ResourceGatherAttrs& validate_indices(bool value) {
    Set("validate_indices", value);
    return *this;
  }
};
// (resource: resource, indices: Tindices) -> (output: dtype)
Output ResourceGather(ScopeRef scope, const Input& resource, const Input& indices, DType dtype,
    const ResourceGatherAttrs& attrs = ResourceGatherAttrs());

// (resource: resource, indices: Tindices) -> (output: dtype)
Output ResourceGatherNd(ScopeRef scope, const Input& resource, const Input& indices, DType dtype);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterAdd(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterDiv(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterMax(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterMin(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterMul(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterSub(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

// (resource: resource, indices: Tindices, updates: dtype) -> ()
Operation ResourceScatterUpdate(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates);

class VarHandleOpAttrs : public OpAttrs {
 public:
  VarHandleOpAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  VarHandleOpAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
  VarHandleOpAttrs& debug_name(const std::string& value) {
    Set("debug_name", value);
    return *this;
  }
  VarHandleOpAttrs& allowed_devices(const std::vector<std::string>& value) {
    Set("allowed_devices", value);
    return *this;
  }
};
// () -> (resource: resource)
Output VarHandleOp(ScopeRef scope, DType dtype, const PartialShape& shape,
    const VarHandleOpAttrs& attrs = VarHandleOpAttrs());

// (resource: resource) -> (is_initialized: bool)
Output VarIsInitializedOp(ScopeRef scope, const Input& resource);

class VariableShapeAttrs : public OpAttrs {
 public:
  VariableShapeAttrs& out_type(DType value) {
    Set("out_type", value);
    return *this;
  }
};
// (input: resource) -> (output: out_type)
Output VariableShape(ScopeRef scope, const Input& input,
    const VariableShapeAttrs& attrs = VariableShapeAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RESOURCE_VARIABLE_OPS_H_
