// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/checkpoint_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

GenerateVocabRemappingOutputs GenerateVocabRemapping(ScopeRef scope, const Input& new_vocab_file,
    const Input& old_vocab_file, int64_t new_vocab_offset, int64_t num_new_vocab,
    const GenerateVocabRemappingAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "GenerateVocabRemapping", {new_vocab_file, old_vocab_file},
      OpAttrs(attrs)
          .Set("new_vocab_offset", new_vocab_offset)
          .Set("num_new_vocab", num_new_vocab));
  GenerateVocabRemappingOutputs outputs;
  outputs.remapping = OutputOf(here, built, "remapping");
  outputs.num_present = OutputOf(here, built, "num_present");
  outputs.op = built;
  return outputs;
}

Output LoadAndRemapMatrix(ScopeRef scope, const Input& ckpt_path, const Input& old_tensor_name,
    const Input& row_remapping, const Input& col_remapping, const Input& initializing_values,
    int64_t num_rows, int64_t num_cols, const LoadAndRemapMatrixAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "LoadAndRemapMatrix", {ckpt_path, old_tensor_name, row_remapping,
          col_remapping, initializing_values},
      OpAttrs(attrs)
          .Set("num_rows", num_rows)
          .Set("num_cols", num_cols));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
