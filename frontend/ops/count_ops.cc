// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/count_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

DenseCountSparseOutputOutputs DenseCountSparseOutput(ScopeRef scope, const Input& values,
    const Input& weights, bool binary_output, const DenseCountSparseOutputAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "DenseCountSparseOutput", {values, weights},
      OpAttrs(attrs)
          .Set("binary_output", binary_output));
  DenseCountSparseOutputOutputs outputs;
  outputs.output_indices = OutputOf(here, built, "output_indices");
  outputs.output_values = OutputOf(here, built, "output_values");
  outputs.output_dense_shape = OutputOf(here, built, "output_dense_shape");
  outputs.op = built;
  return outputs;
}

RaggedCountSparseOutputOutputs RaggedCountSparseOutput(ScopeRef scope, const Input& splits,
    const Input& values, const Input& weights, bool binary_output,
    const RaggedCountSparseOutputAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "RaggedCountSparseOutput", {splits, values, weights},
      OpAttrs(attrs)
          .Set("binary_output", binary_output));
  RaggedCountSparseOutputOutputs outputs;
  outputs.output_indices = OutputOf(here, built, "output_indices");
  outputs.output_values = OutputOf(here, built, "output_values");
  outputs.output_dense_shape = OutputOf(here, built, "output_dense_shape");
  outputs.op = built;
  return outputs;
}

SparseCountSparseOutputOutputs SparseCountSparseOutput(ScopeRef scope, const Input& indices,
    const Input& values, const Input& dense_shape, const Input& weights, bool binary_output,
    const SparseCountSparseOutputAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "SparseCountSparseOutput", {indices, values, dense_shape, weights},
      OpAttrs(attrs)
          .Set("binary_output", binary_output));
  SparseCountSparseOutputOutputs outputs;
  outputs.output_indices = OutputOf(here, built, "output_indices");
  outputs.output_values = OutputOf(here, built, "output_values");
  outputs.output_dense_shape = OutputOf(here, built, "output_dense_shape");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
