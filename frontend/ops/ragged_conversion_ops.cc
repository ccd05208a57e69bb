// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/ragged_conversion_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

RaggedTensorToSparseOutputs RaggedTensorToSparse(ScopeRef scope, const InputList& rt_nested_splits,
    const Input& rt_dense_values) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "RaggedTensorToSparse", {rt_nested_splits, rt_dense_values},
      OpAttrs());
  RaggedTensorToSparseOutputs outputs;
  outputs.sparse_indices = OutputOf(here, built, "sparse_indices");
  outputs.sparse_values = OutputOf(here, built, "sparse_values");
  outputs.sparse_dense_shape = OutputOf(here, built, "sparse_dense_shape");
  outputs.op = built;
  return outputs;
}

Output RaggedTensorToTensor(ScopeRef scope, const Input& shape, const Input& values,
    const Input& default_value, const InputList& row_partition_tensors,
    const std::vector<std::string>& row_partition_types) {
  return BuildOutput(
      scope.scope(), "RaggedTensorToTensor", {shape, values, default_value, row_partition_tensors},
      OpAttrs()
          .Set("row_partition_types", row_partition_types));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
