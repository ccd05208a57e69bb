// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RAGGED_CONVERSION_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RAGGED_CONVERSION_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

struct RaggedTensorToSparseOutputs {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_dense_shape;
  Operation op;
};
// (rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T) -> (sparse_indices: int64,
//     sparse_values: T, sparse_dense_shape: int64)
RaggedTensorToSparseOutputs RaggedTensorToSparse(ScopeRef scope, const InputList& rt_nested_splits,
    const Input& rt_dense_values);

// (shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors *
//     Tindex) -> (result: T)
Output RaggedTensorToTensor(ScopeRef scope, const Input& shape, const Input& values,
    const Input& default_value, const InputList& row_partition_tensors,
    const std::vector<std::string>& row_partition_types);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RAGGED_CONVERSION_OPS_H_
