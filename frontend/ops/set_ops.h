// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_SET_OPS_H_
#define WARPBEAM_FRONTEND_OPS_SET_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class DenseToDenseSetOperationAttrs : public OpAttrs {
 public:
  DenseToDenseSetOperationAttrs& validate_indices(bool value) {
    Set("validate_indices", value);
    return *this;
  }
};
struct DenseToDenseSetOperationOutputs {
  Output result_indices;
  Output result_values;
  Output result_shape;
  Operation op;
};
// (set1: T, set2: T) -> (result_indices: int64, result_values: T, result_shape: int64)
DenseToDenseSetOperationOutputs DenseToDenseSetOperation(ScopeRef scope, const Input& set1,
    const Input& set2, const std::string& set_operation,
    const DenseToDenseSetOperationAttrs& attrs = DenseToDenseSetOperationAttrs());

class DenseToSparseSetOperationAttrs : public OpAttrs {
 public:
  DenseToSparseSetOperationAttrs& validate_indices(bool value) {
    Set("validate_indices", value);
    return *this;
  }
};
struct DenseToSparseSetOperationOutputs {
  Output result_indices;
  Output result_values;
  Output result_shape;
  Operation op;
};
// (set1: T, set2_indices: int64, set2_values: T, set2_shape: int64) -> (result_indices: int64,
//     result_values: T, result_shape: int64)
DenseToSparseSetOperationOutputs DenseToSparseSetOperation(ScopeRef scope, const Input& set1,
    const Input& set2_indices, const Input& set2_values, const Input& set2_shape,
    const std::string& set_operation,
    const DenseToSparseSetOperationAttrs& attrs = DenseToSparseSetOperationAttrs());

class SetSizeAttrs : public OpAttrs {
 public:
  SetSizeAttrs& validate_indices(bool value) {
    Set("validate_indices", value);
    return *this;
  }
};
// (set_indices: int64, set_values: T, set_shape: int64) -> (size: int32)
Output SetSize(ScopeRef scope, const Input& set_indices, const Input& set_values,
    const Input& set_shape, const SetSizeAttrs& attrs = SetSizeAttrs());

class SparseToSparseSetOperationAttrs : public OpAttrs {
 public:
  SparseToSparseSetOperationAttrs& validate_indices(bool value) {
    Set("validate_indices", value);
    return *this;
  }
};
struct SparseToSparseSetOperationOutputs {
  Output result_indices;
  Output result_values;
  Output result_shape;
  Operation op;
};
// (set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T,
//     set2_shape: int64) -> (result_indices: int64, result_values: T, result_shape: int64)
SparseToSparseSetOperationOutputs SparseToSparseSetOperation(ScopeRef scope,
    const Input& set1_indices, const Input& set1_values, const Input& set1_shape,
    const Input& set2_indices, const Input& set2_values, const Input& set2_shape,
    const std::string& set_operation,
    const SparseToSparseSetOperationAttrs& attrs = SparseToSparseSetOperationAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_SET_OPS_H_
