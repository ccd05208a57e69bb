// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RAGGED_ARRAY_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RAGGED_ARRAY_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

struct RaggedGatherOutputs {
  std::vector<Output> output_nested_splits;
  Output output_dense_values;
  Operation op;
};
// (params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices:
//     Tindices) -> (output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values:
//     Tvalues)
RaggedGatherOutputs RaggedGather(ScopeRef scope, const InputList& params_nested_splits,
    const Input& params_dense_values, const Input& indices, int64_t OUTPUT_RAGGED_RANK);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RAGGED_ARRAY_OPS_H_
