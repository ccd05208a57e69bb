// SparseTensor: a tensor that is mostly empty (tf.SparseTensor), and its functions (tf.sparse_add,
// tf.sparse_to_dense, tf.sparse_reduce_sum…).
//
//   SparseTensor words = SparseTensor::Of(scope, indices, values, shape);
//   Output dense = SparseTensorToDense(scope, words, -1);
//   Output product = SparseTensorDenseMatMul(scope, weights, x);
//   SparseTensor both = SparseAdd(scope, a, b);
//
// `values[i]` stands at the place `indices[i]`, a row of as many numbers (int64) as the tensor has
// dimensions; the rest of `dense_shape` is empty. Most functions want places in row-major order,
// each once; SparseReorder sorts them. Nodes and names are those that TensorFlow's functions of the
// same name make where those are of one op or two.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; places out of range
// are errors of the step.
#ifndef WARPBEAM_FRONTEND_SPARSE_SPARSE_TENSOR_H_
#define WARPBEAM_FRONTEND_SPARSE_SPARSE_TENSOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/gradients.h"
#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// What a step gives of a sparse tensor, and what is fed for one.
struct SparseTensorValue {
  Tensor indices;
  Tensor values;
  Tensor dense_shape;
};

struct SparseTensor {
  Output indices;
  Output values;
  Output dense_shape;

  // Of numbers, tensors or outputs: places and extents become int64.
  static SparseTensor Of(ScopeRef scope, const Input& indices, const Input& values,
                         const Input& dense_shape);
  static SparseTensor FromValue(ScopeRef scope, const SparseTensorValue& value);

  bool valid() const { return indices.valid() && values.valid() && dense_shape.valid(); }
  DType dtype() const { return values.dtype(); }
  Operation op() const { return values.op(); }
  GraphState* graph() const { return values.graph(); }
  // How many dimensions there are; -1 when it is not known.
  int rank() const;
  // Other values at the same places.
  SparseTensor WithValues(const Output& new_values) const {
    return {indices, new_values, dense_shape};
  }
};

// Its parts are fed: placeholder.values and so on.
SparseTensor SparsePlaceholder(ScopeRef scope, DType dtype,
                               const PartialShape& shape = PartialShape());

// The sum; with a dense tensor it is dense. Of two sparse ones, sums of a magnitude below
// `threshold` are left out.
SparseTensor SparseAdd(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                       const Input& threshold = 0);
Output SparseAdd(ScopeRef scope, const SparseTensor& a, const Input& b);
SparseTensor SparseMaximum(ScopeRef scope, const SparseTensor& a, const SparseTensor& b);
SparseTensor SparseMinimum(ScopeRef scope, const SparseTensor& a, const SparseTensor& b);
SparseTensor SparseConcat(ScopeRef scope, int axis, const std::vector<SparseTensor>& tensors);
HandleList<SparseTensor> SparseSplit(ScopeRef scope, const SparseTensor& x, int64_t count,
                                     const Input& axis = 0);

struct FilledRows {
  SparseTensor tensor;
  Output empty_row_indicator;
};
// With `default_value` in the first column of rows that have nothing.
FilledRows SparseFillEmptyRows(ScopeRef scope, const SparseTensor& x, const Input& default_value);

// Over the given axes (a number or a list), by default over all. Empty places do not count.
Output SparseReduceSum(ScopeRef scope, const SparseTensor& x,
                       const std::optional<Input>& axis = std::nullopt, bool keep_dims = false);
Output SparseReduceMax(ScopeRef scope, const SparseTensor& x,
                       const std::optional<Input>& axis = std::nullopt, bool keep_dims = false);
SparseTensor SparseReduceSumSparse(ScopeRef scope, const SparseTensor& x,
                                   const std::optional<Input>& axis = std::nullopt,
                                   bool keep_dims = false);
SparseTensor SparseReduceMaxSparse(ScopeRef scope, const SparseTensor& x,
                                   const std::optional<Input>& axis = std::nullopt,
                                   bool keep_dims = false);

SparseTensor SparseReorder(ScopeRef scope, const SparseTensor& x);
SparseTensor SparseReshape(ScopeRef scope, const SparseTensor& x, const Input& shape);
// The tight bounds of what is there, or `shape`, which must not be less than that.
SparseTensor SparseResetShape(ScopeRef scope, const SparseTensor& x,
                              const std::optional<Input>& shape = std::nullopt);
// What `keep` says of each value.
SparseTensor SparseRetain(ScopeRef scope, const SparseTensor& x, const Input& keep);
SparseTensor SparseSlice(ScopeRef scope, const SparseTensor& x, const Input& start,
                         const Input& size);
SparseTensor SparseTranspose(ScopeRef scope, const SparseTensor& x,
                             const std::vector<int>& order = {});
// Of each row of the last dimension, over what is there.
SparseTensor SparseSoftmax(ScopeRef scope, const SparseTensor& x);

// A matrix times a dense one.
Output SparseTensorDenseMatMul(ScopeRef scope, const SparseTensor& a, const Input& b,
                               bool adjoint_a = false, bool adjoint_b = false);

Output SparseToDense(ScopeRef scope, const Input& indices, const Input& shape, const Input& values,
                     const Input& default_value = 0, bool validate_indices = true);
Output SparseTensorToDense(ScopeRef scope, const SparseTensor& x,
                           const std::optional<Input>& default_value = std::nullopt,
                           bool validate_indices = true);
// Bools: whether row i holds the value j, below `vocab_size`.
Output SparseToIndicator(ScopeRef scope, const SparseTensor& x, int64_t vocab_size);
// Of ids and values at the same places, the values at the places that the ids name.
SparseTensor SparseMerge(ScopeRef scope, const SparseTensor& ids, const SparseTensor& values,
                         const Input& vocab_size, bool already_sorted = false);

// Without the rows that `mask_indices` name.
IndexedSlices SparseMask(ScopeRef scope, const IndexedSlices& slices, const Input& mask_indices);

namespace sparse {

using frontend::SparseTensor;

// What tf.sparse calls otherwise: the functions above.
SparseTensor Add(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                 const Input& threshold = 0);
Output Add(ScopeRef scope, const SparseTensor& a, const Input& b);
SparseTensor Maximum(ScopeRef scope, const SparseTensor& a, const SparseTensor& b);
SparseTensor Minimum(ScopeRef scope, const SparseTensor& a, const SparseTensor& b);
SparseTensor Concat(ScopeRef scope, int axis, const std::vector<SparseTensor>& tensors);
HandleList<SparseTensor> Split(ScopeRef scope, const SparseTensor& x, int64_t count,
                               const Input& axis = 0);
FilledRows FillEmptyRows(ScopeRef scope, const SparseTensor& x, const Input& default_value);
SparseTensor Placeholder(ScopeRef scope, DType dtype, const PartialShape& shape = PartialShape());
Output ReduceSum(ScopeRef scope, const SparseTensor& x,
                 const std::optional<Input>& axis = std::nullopt, bool keep_dims = false);
Output ReduceMax(ScopeRef scope, const SparseTensor& x,
                 const std::optional<Input>& axis = std::nullopt, bool keep_dims = false);
SparseTensor ReduceSumSparse(ScopeRef scope, const SparseTensor& x,
                             const std::optional<Input>& axis = std::nullopt,
                             bool keep_dims = false);
SparseTensor ReduceMaxSparse(ScopeRef scope, const SparseTensor& x,
                             const std::optional<Input>& axis = std::nullopt,
                             bool keep_dims = false);
SparseTensor Reorder(ScopeRef scope, const SparseTensor& x);
SparseTensor Reshape(ScopeRef scope, const SparseTensor& x, const Input& shape);
SparseTensor ResetShape(ScopeRef scope, const SparseTensor& x,
                        const std::optional<Input>& shape = std::nullopt);
SparseTensor Retain(ScopeRef scope, const SparseTensor& x, const Input& keep);
SparseTensor Slice(ScopeRef scope, const SparseTensor& x, const Input& start, const Input& size);
SparseTensor Transpose(ScopeRef scope, const SparseTensor& x, const std::vector<int>& order = {});
SparseTensor Softmax(ScopeRef scope, const SparseTensor& x);
Output SparseDenseMatmul(ScopeRef scope, const SparseTensor& a, const Input& b,
                         bool adjoint_a = false, bool adjoint_b = false);
Output ToDense(ScopeRef scope, const SparseTensor& x,
               const std::optional<Input>& default_value = std::nullopt,
               bool validate_indices = true);
Output ToIndicator(ScopeRef scope, const SparseTensor& x, int64_t vocab_size);
SparseTensor Merge(ScopeRef scope, const SparseTensor& ids, const SparseTensor& values,
                   const Input& vocab_size, bool already_sorted = false);
IndexedSlices Mask(ScopeRef scope, const IndexedSlices& slices, const Input& mask_indices);

// What of a dense tensor is not 0.
SparseTensor FromDense(ScopeRef scope, const Output& x);
SparseTensor Eye(ScopeRef scope, int64_t rows, std::optional<int64_t> columns = std::nullopt,
                 DType dtype = DType::kFloat);
// With a dimension of one element more, by default the last one.
SparseTensor ExpandDims(ScopeRef scope, const SparseTensor& x, int axis = -1);
// For each row, all combinations of one value from each tensor, joined by "_X_"; or, in
// CrossHashed, the number of their bucket (0 buckets: all numbers).
SparseTensor Cross(ScopeRef scope, const std::vector<SparseTensor>& tensors);
SparseTensor CrossHashed(ScopeRef scope, const std::vector<SparseTensor>& tensors,
                         int64_t num_buckets = 0, int64_t hash_key = 0xDECAFCAFFE);

}  // namespace sparse
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SPARSE_SPARSE_TENSOR_H_
