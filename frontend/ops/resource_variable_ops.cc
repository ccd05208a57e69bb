// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/resource_variable_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation AssignAddVariableOp(ScopeRef scope, const Input& resource, const Input& value) {
  return BuildOp(
      scope.scope(), "AssignAddVariableOp", {resource, value},
      OpAttrs());
}

Operation AssignSubVariableOp(ScopeRef scope, const Input& resource, const Input& value) {
  return BuildOp(
      scope.scope(), "AssignSubVariableOp", {resource, value},
      OpAttrs());
}

Operation AssignVariableOp(ScopeRef scope, const Input& resource, const Input& value,
    const AssignVariableOpAttrs& attrs) {
  return BuildOp(
      scope.scope(), "AssignVariableOp", {resource, value},
      attrs);
}

Operation ConsumeMutexLock(ScopeRef scope, const Input& mutex_lock) {
  return BuildOp(
      scope.scope(), "ConsumeMutexLock", {mutex_lock},
      OpAttrs());
}

Operation DestroyResourceOp(ScopeRef scope, const Input& resource,
    const DestroyResourceOpAttrs& attrs) {
  return BuildOp(
      scope.scope(), "DestroyResourceOp", {resource},
      attrs);
}

Operation DisableCopyOnRead(ScopeRef scope, const Input& resource) {
  return BuildOp(
      scope.scope(), "DisableCopyOnRead", {resource},
      OpAttrs());
}

Output MutexLock(ScopeRef scope, const Input& mutex) {
  return BuildOutput(
      scope.scope(), "MutexLock", {mutex},
      OpAttrs());
}

Output MutexV2(ScopeRef scope, const MutexV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "MutexV2", {},
      attrs);
}

Output ReadVariableOp(ScopeRef scope, const Input& resource, DType dtype) {
  return BuildOutput(
      scope.scope(), "ReadVariableOp", {resource},
      OpAttrs()
          .Set("dtype", dtype));
}

Output ResourceGather(ScopeRef scope, const Input& resource, const Input& indices, DType dtype,
    const ResourceGatherAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ResourceGather", {resource, indices},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

Output ResourceGatherNd(ScopeRef scope, const Input& resource, const Input& indices, DType dtype) {
  return BuildOutput(
      scope.scope(), "ResourceGatherNd", {resource, indices},
      OpAttrs()
          .Set("dtype", dtype));
}

Operation ResourceScatterAdd(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterAdd", {resource, indices, updates},
      OpAttrs());
}

Operation ResourceScatterDiv(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterDiv", {resource, indices, updates},
      OpAttrs());
}

Operation ResourceScatterMax(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterMax", {resource, indices, updates},
      OpAttrs());
}

Operation ResourceScatterMin(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterMin", {resource, indices, updates},
      OpAttrs());
}

Operation ResourceScatterMul(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterMul", {resource, indices, updates},
      OpAttrs());
}

Operation ResourceScatterSub(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterSub", {resource, indices, updates},
      OpAttrs());
}

Operation ResourceScatterUpdate(ScopeRef scope, const Input& resource, const Input& indices,
    const Input& updates) {
  return BuildOp(
      scope.scope(), "ResourceScatterUpdate", {resource, indices, updates},
      OpAttrs());
}

Output VarHandleOp(ScopeRef scope, DType dtype, const PartialShape& shape,
    const VarHandleOpAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "VarHandleOp", {},
      OpAttrs(attrs)
          .Set("dtype", dtype)
          .Set("shape", shape));
}

Output VarIsInitializedOp(ScopeRef scope, const Input& resource) {
  return BuildOutput(
      scope.scope(), "VarIsInitializedOp", {resource},
      OpAttrs());
}

Output VariableShape(ScopeRef scope, const Input& input, const VariableShapeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "VariableShape", {input},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
