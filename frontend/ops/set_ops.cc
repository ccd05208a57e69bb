// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/set_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

DenseToDenseSetOperationOutputs DenseToDenseSetOperation(ScopeRef scope, const Input& set1,
    const Input& set2, const std::string& set_operation, const DenseToDenseSetOperationAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "DenseToDenseSetOperation", {set1, set2},
      OpAttrs(attrs)
          .Set("set_operation", set_operation));
  DenseToDenseSetOperationOutputs outputs;
  outputs.result_indices = OutputOf(here, built, "result_indices");
  outputs.result_values = OutputOf(here, built, "result_values");
  outputs.result_shape = OutputOf(here, built, "result_shape");
  outputs.op = built;
  return outputs;
}

DenseToSparseSetOperationOutputs DenseToSparseSetOperation(ScopeRef scope, const Input& set1,
    const Input& set2_indices, const Input& set2_values, const Input& set2_shape,
    const std::string& set_operation, const DenseToSparseSetOperationAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "DenseToSparseSetOperation", {set1, set2_indices, set2_values, set2_shape},
      OpAttrs(attrs)
          .Set("set_operation", set_operation));
  DenseToSparseSetOperationOutputs outputs;
  outputs.result_indices = OutputOf(here, built, "result_indices");
  outputs.result_values = OutputOf(here, built, "result_values");
  outputs.result_shape = OutputOf(here, built, "result_shape");
  outputs.op = built;
  return outputs;
}

Output SetSize(ScopeRef scope, const Input& set_indices, const Input& set_values,
    const Input& set_shape, const SetSizeAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "SetSize", {set_indices, set_values, set_shape},
      attrs);
}

SparseToSparseSetOperationOutputs SparseToSparseSetOperation(ScopeRef scope,
    const Input& set1_indices, const Input& set1_values, const Input& set1_shape,
    const Input& set2_indices, const Input& set2_values, const Input& set2_shape,
    const std::string& set_operation, const SparseToSparseSetOperationAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "SparseToSparseSetOperation", {set1_indices, set1_values, set1_shape,
          set2_indices, set2_values, set2_shape},
      OpAttrs(attrs)
          .Set("set_operation", set_operation));
  SparseToSparseSetOperationOutputs outputs;
  outputs.result_indices = OutputOf(here, built, "result_indices");
  outputs.result_values = OutputOf(here, built, "result_values");
  outputs.result_shape = OutputOf(here, built, "result_shape");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
