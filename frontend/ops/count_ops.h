// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_COUNT_OPS_H_
#define WARPBEAM_FRONTEND_OPS_COUNT_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class DenseCountSparseOutputAttrs : public OpAttrs {
 public:
  DenseCountSparseOutputAttrs& minlength(int64_t value) {
    Set("minlength", value);
    return *this;
  }
  DenseCountSparseOutputAttrs& maxlength(int64_t value) {
    Set("maxlength", value);
    return *this;
  }
};
struct DenseCountSparseOutputOutputs {
  Output output_indices;
  Output output_values;
  Output output_dense_shape;
  Operation op;
};
// (values: T, weights: output_type) -> (output_indices: int64, output_values: output_type,
//     output_dense_shape: int64)
DenseCountSparseOutputOutputs DenseCountSparseOutput(ScopeRef scope, const Input& values,
    const Input& weights, bool binary_output,
    const DenseCountSparseOutputAttrs& attrs = DenseCountSparseOutputAttrs());

class RaggedCountSparseOutputAttrs : public OpAttrs {
 public:
  RaggedCountSparseOutputAttrs& minlength(int64_t value) {
    Set("minlength", value);
    return *this;
  }
  RaggedCountSparseOutputAttrs& maxlength(int64_t value) {
    Set("maxlength", value);
    return *this;
  }
};
struct RaggedCountSparseOutputOutputs {
  Output output_indices;
  Output output_values;
  Output output_dense_shape;
  Operation op;
};
// (splits: int64, values: T, weights: output_type) -> (output_indices: int64, output_values:
//     output_type, output_dense_shape: int64)
RaggedCountSparseOutputOutputs RaggedCountSparseOutput(ScopeRef scope, const Input& splits,
    const Input& values, const Input& weights, bool binary_output,
    const RaggedCountSparseOutputAttrs& attrs = RaggedCountSparseOutputAttrs());

class SparseCountSparseOutputAttrs : public OpAttrs {
 public:
  SparseCountSparseOutputAttrs& minlength(int64_t value) {
    Set("minlength", value);
    return *this;
  }
  SparseCountSparseOutputAttrs& maxlength(int64_t value) {
    Set("maxlength", value);
    return *this;
  }
};
struct SparseCountSparseOutputOutputs {
  Output output_indices;
  Output output_values;
  Output output_dense_shape;
  Operation op;
};
// (indices: int64, values: T, dense_shape: int64, weights: output_type) -> (output_indices: int64,
//     output_values: output_type, output_dense_shape: int64)
SparseCountSparseOutputOutputs SparseCountSparseOutput(ScopeRef scope, const Input& indices,
    const Input& values, const Input& dense_shape, const Input& weights, bool binary_output,
    const SparseCountSparseOutputAttrs& attrs = SparseCountSparseOutputAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_COUNT_OPS_H_
