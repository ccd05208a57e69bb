// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/ragged_array_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

RaggedGatherOutputs RaggedGather(ScopeRef scope, const InputList& params_nested_splits,
    const Input& params_dense_values, const Input& indices, int64_t OUTPUT_RAGGED_RANK) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "RaggedGather", {params_nested_splits, params_dense_values, indices},
      OpAttrs()
          .Set("OUTPUT_RAGGED_RANK", OUTPUT_RAGGED_RANK));
  RaggedGatherOutputs outputs;
  outputs.output_nested_splits = OutputsOf(here, built, "output_nested_splits");
  outputs.output_dense_values = OutputOf(here, built, "output_dense_values");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
