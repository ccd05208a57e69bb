// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_CHECKPOINT_OPS_H_
#define WARPBEAM_FRONTEND_OPS_CHECKPOINT_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class GenerateVocabRemappingAttrs : public OpAttrs {
 public:
  GenerateVocabRemappingAttrs& old_vocab_size(int64_t value) {
    Set("old_vocab_size", value);
    return *this;
  }
};
struct GenerateVocabRemappingOutputs {
  Output remapping;
  Output num_present;
  Operation op;
};
// (new_vocab_file: string, old_vocab_file: string) -> (remapping: int64, num_present: int32)
GenerateVocabRemappingOutputs GenerateVocabRemapping(ScopeRef scope, const Input& new_vocab_file,
    const Input& old_vocab_file, int64_t new_vocab_offset, int64_t num_new_vocab,
    const GenerateVocabRemappingAttrs& attrs = GenerateVocabRemappingAttrs());

class LoadAndRemapMatrixAttrs : public OpAttrs {
 public:
  LoadAndRemapMatrixAttrs& max_rows_in_memory(int64_t value) {
    Set("max_rows_in_memory", value);
    return *this;
  }
};
// (ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64,
//     initializing_values: float) -> (output_matrix: float)
Output LoadAndRemapMatrix(ScopeRef scope, const Input& ckpt_path, const Input& old_tensor_name,
    const Input& row_remapping, const Input& col_remapping, const Input& initializing_values,
    int64_t num_rows, int64_t num_cols,
    const LoadAndRemapMatrixAttrs& attrs = LoadAndRemapMatrixAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_CHECKPOINT_OPS_H_
