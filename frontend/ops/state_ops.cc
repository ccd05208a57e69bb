// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/state_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output Assign(ScopeRef scope, const Input& ref, const Input& value, const AssignAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Assign", {ref, value},
      attrs);
}

Output AssignAdd(ScopeRef scope, const Input& ref, const Input& value, const AssignAddAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AssignAdd", {ref, value},
      attrs);
}

Output AssignSub(ScopeRef scope, const Input& ref, const Input& value, const AssignSubAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "AssignSub", {ref, value},
      attrs);
}

Output CountUpTo(ScopeRef scope, const Input& ref, int64_t limit) {
  return BuildOutput(
      scope.scope(), "CountUpTo", {ref},
      OpAttrs()
          .Set("limit", limit));
}

Output DestroyTemporaryVariable(ScopeRef scope, const Input& ref, const std::string& var_name) {
  return BuildOutput(
      scope.scope(), "DestroyTemporaryVariable", {ref},
      OpAttrs()
          .Set("var_name", var_name));
}

Output IsVariableInitialized(ScopeRef scope, const Input& ref) {
  return BuildOutput(
      scope.scope(), "IsVariableInitialized", {ref},
      OpAttrs());
}

Output ResourceCountUpTo(ScopeRef scope, const Input& resource, int64_t limit, DType T) {
  return BuildOutput(
      scope.scope(), "ResourceCountUpTo", {resource},
      OpAttrs()
          .Set("limit", limit)
          .Set("T", T));
}

Operation ResourceScatterNdAdd(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdAddAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceScatterNdAdd", {ref, indices, updates},
      attrs);
}

Operation ResourceScatterNdMax(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdMaxAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceScatterNdMax", {ref, indices, updates},
      attrs);
}

Operation ResourceScatterNdMin(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdMinAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceScatterNdMin", {ref, indices, updates},
      attrs);
}

Operation ResourceScatterNdSub(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdSubAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceScatterNdSub", {ref, indices, updates},
      attrs);
}

Operation ResourceScatterNdUpdate(ScopeRef scope, const Input& ref, const Input& indices,
    const Input& updates, const ResourceScatterNdUpdateAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceScatterNdUpdate", {ref, indices, updates},
      attrs);
}

Output ScatterAdd(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterAddAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterAdd", {ref, indices, updates},
      attrs);
}

Output ScatterDiv(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterDivAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterDiv", {ref, indices, updates},
      attrs);
}

Output ScatterMax(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterMaxAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterMax", {ref, indices, updates},
      attrs);
}

Output ScatterMin(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterMinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterMin", {ref, indices, updates},
      attrs);
}

Output ScatterMul(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterMulAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterMul", {ref, indices, updates},
      attrs);
}

Output ScatterNdAdd(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdAddAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterNdAdd", {ref, indices, updates},
      attrs);
}

Output ScatterNdMax(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdMaxAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterNdMax", {ref, indices, updates},
      attrs);
}

Output ScatterNdMin(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdMinAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterNdMin", {ref, indices, updates},
      attrs);
}

Output ScatterNdSub(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdSubAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterNdSub", {ref, indices, updates},
      attrs);
}

Output ScatterNdUpdate(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterNdUpdateAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterNdUpdate", {ref, indices, updates},
      attrs);
}

Output ScatterSub(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterSubAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterSub", {ref, indices, updates},
      attrs);
}

Output ScatterUpdate(ScopeRef scope, const Input& ref, const Input& indices, const Input& updates,
    const ScatterUpdateAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ScatterUpdate", {ref, indices, updates},
      attrs);
}

Output TemporaryVariable(ScopeRef scope, const PartialShape& shape, DType dtype,
    const TemporaryVariableAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TemporaryVariable", {},
      OpAttrs(attrs)
          .Set("shape", shape)
          .Set("dtype", dtype));
}

Output Variable(ScopeRef scope, const PartialShape& shape, DType dtype, const VariableAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Variable", {},
      OpAttrs(attrs)
          .Set("shape", shape)
          .Set("dtype", dtype));
}

Output VariableV2(ScopeRef scope, const PartialShape& shape, DType dtype,
    const VariableV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "VariableV2", {},
      OpAttrs(attrs)
          .Set("shape", shape)
          .Set("dtype", dtype));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
