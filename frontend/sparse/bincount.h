// Counting values where only those that are there are kept (tf.sparse.bincount).
//
//   SparseTensor counts = sparse::Bincount(scope, words, SparseBincountOptions().axis(-1));
//   // counts at [row, word] of words [rows, n]; without an axis, at [word] of all of them
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; values below 0 are
// errors of the step.
#ifndef WARPBEAM_FRONTEND_SPARSE_BINCOUNT_H_
#define WARPBEAM_FRONTEND_SPARSE_BINCOUNT_H_

#include <cstdint>

#include "frontend/sparse/sparse_tensor.h"

namespace warpbeam {
namespace frontend {

struct SparseBincountOptions {
  // 0: all values in one list; -1: each row on its own.
  SparseBincountOptions& axis(int value) { return counted_axis = value, *this; }
  // The shape has at least, and at most, so many values; those beyond are left out.
  SparseBincountOptions& minlength(int64_t value) { return least = value, *this; }
  SparseBincountOptions& maxlength(int64_t value) { return most = value, *this; }
  // 1 for each value that is there, however often.
  SparseBincountOptions& binary_output(bool value) { return is_binary = value, *this; }

  int counted_axis = 0;
  int64_t least = -1, most = -1;
  bool is_binary = false;
};

namespace sparse {

// `weights` is what each value counts for, of the shape of the values and, for a sparse tensor, at
// the same places; 1 where it is not valid.
SparseTensor Bincount(ScopeRef scope, const Output& values,
                      const SparseBincountOptions& options = SparseBincountOptions(),
                      const Output& weights = Output());
SparseTensor Bincount(ScopeRef scope, const SparseTensor& values,
                      const SparseBincountOptions& options = SparseBincountOptions(),
                      const SparseTensor& weights = SparseTensor());

}  // namespace sparse
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_SPARSE_BINCOUNT_H_
