// RaggedTensor: rows of different lengths (tf.RaggedTensor).
//
//   RaggedTensor words = strings::Split(scope, lines);      // a row of words for each line
//   Output table = words.ToTensor(scope, "");               // short rows filled up
//
// `values` are the rows one behind the other; row i begins at row_splits[i] and ends before
// row_splits[i + 1]. Rows of rows have further splits, which count rows instead of values.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_SPARSE_RAGGED_TENSOR_H_
#define WARPBEAM_FRONTEND_SPARSE_RAGGED_TENSOR_H_

#include "frontend/sparse/sparse_tensor.h"

namespace warpbeam {
namespace frontend {

struct RaggedTensor {
  Output values;
  Output row_splits;  // int64, one more than there are rows
  // Of rows of rows, the outermost first; none: there is one ragged dimension.
  OutputList outer_row_splits = {};

  // Of rows that are there, and of values that stand together with the number of their row.
  static RaggedTensor FromRowSplits(ScopeRef scope, const Input& values, const Input& row_splits);
  static RaggedTensor FromSparse(ScopeRef scope, const SparseTensor& tensor);

  bool valid() const { return values.valid() && row_splits.valid(); }
  DType dtype() const { return values.dtype(); }
  // How many rows there are, the outermost ones, and how long each is.
  Output NumRows(ScopeRef scope) const;
  Output RowLengths(ScopeRef scope) const;
  // As a dense tensor, with `default_value` behind short rows.
  Output ToTensor(ScopeRef scope, const Input& default_value = 0) const;
  SparseTensor ToSparse(ScopeRef scope) const;

 private:
  const Output& outermost() const;
  InputList nested_row_splits() const;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SPARSE_RAGGED_TENSOR_H_
