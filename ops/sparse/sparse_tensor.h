// A sparse tensor as ops receive it: three tensors, checked to belong together, and what is done
// with the rows of its index matrix: comparing, ordering, checking, picking values.
//
//   WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));      // inputs 0, 1 and 2
//   WB_RETURN_IF_ERROR(CheckBounds(x));
//   for (int64_t i = 0; i < x.count; ++i) Use(x.row(i), x.values->data<float>()[i]);
//
// Indices may lie outside the dense shape and in any order until CheckBounds and CheckOrder have
// said otherwise; a dense shape may have more elements than memory, or than int64 counts.
//
// Ownership: a view borrows the tensors. Thread safety: pure. Errors: INVALID_ARGUMENT naming the
// operand and the values that do not fit.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_TENSOR_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_TENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "graph/op/shape_context.h"
#include "graph/types/span.h"
#include "graph/types/tensor.h"
#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct SparseView {
  const int64_t* indices = nullptr;  // [count, rank], row-major
  const Tensor* values = nullptr;    // [count]
  int64_t count = 0;
  int rank = 0;
  std::vector<int64_t> dims;  // the dense shape; none is negative

  const int64_t* row(int64_t i) const { return indices + i * rank; }
};

// A matrix of indices, a vector of as many values, a vector of as many extents as the matrix has
// columns. `name` says which operand is meant ("a", "set1"), and may be empty.
StatusOr<SparseView> ReadSparse(const Tensor& indices, const Tensor& values, const Tensor& shape,
                                absl::string_view name = "");
StatusOr<SparseView> ReadSparse(const KernelContext& ctx, int first_input,
                                absl::string_view name = "");

// Only a matrix of indices: the view has no values, and no extents.
StatusOr<SparseView> ReadRows(const Tensor& indices, absl::string_view name);

// The dense shape; INVALID_ARGUMENT when its elements cannot be counted.
StatusOr<Shape> DenseShape(const SparseView& x);

// Lexicographic order of two rows: negative, zero or positive.
inline int CompareRows(const int64_t* a, const int64_t* b, int rank) {
  for (int d = 0; d < rank; ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

// Every index lies within the dense shape.
Status CheckBounds(const SparseView& x);
// Rows increase strictly, so that there are no two for one element.
Status CheckOrder(const SparseView& x);

// The numbers of the rows in lexicographic order of the columns listed; equal rows stay as they
// are.
std::vector<int64_t> RowOrder(const SparseView& x, Span<const int> columns);
// The same, of all columns.
std::vector<int64_t> RowOrder(const SparseView& x);

// to[i] = from[order[i]], of any dtype, and the same for rows of indices.
Status TakeValues(const Tensor& from, Span<const int64_t> order, Tensor* to);
void TakeRows(const SparseView& from, Span<const int64_t> order, int64_t* to);

// "[1,2]", for messages.
std::string RowToString(const int64_t* row, int rank);

// fn(i, j) for the rows of two tensors of one rank, merged by their order: i or j is -1 where only
// the other has the row. Rows out of order are met where they stand.
template <typename Fn>
void MergeRows(const SparseView& a, const SparseView& b, Fn fn) {
  for (int64_t i = 0, j = 0; i < a.count || j < b.count;) {
    const int order = i == a.count   ? 1
                      : j == b.count ? -1
                                     : CompareRows(a.row(i), b.row(j), a.rank);
    fn(order <= 0 ? i : -1, order >= 0 ? j : -1);
    if (order <= 0) ++i;
    if (order >= 0) ++j;
  }
}

// fn(begin, end) for each run of positions of `order` whose rows agree in the columns listed; it
// ends at the first error.
template <typename Fn>
Status ForEachGroup(const SparseView& x, Span<const int64_t> order, Span<const int> columns,
                    Fn fn) {
  for (size_t begin = 0, end; begin < order.size(); begin = end) {
    const int64_t* first = x.row(order[begin]);
    const auto agrees = [&](const int64_t* row) {
      for (const int d : columns) {
        if (row[d] != first[d]) return false;
      }
      return true;
    };
    for (end = begin + 1; end < order.size() && agrees(x.row(order[end]));) ++end;
    WB_RETURN_IF_ERROR(fn(begin, end));
  }
  return OkStatus();
}

// Two operands of one op have the same dense shape.
Status CheckSameShape(const SparseView& a, const SparseView& b);

// Shape functions. Checks inputs first, first + 1 and first + 2 as a sparse tensor and returns the
// shape of its index matrix, [count, rank], as far as known.
StatusOr<PartialShape> SparseInputShape(const ShapeContext& c, int first);
// Outputs first, first + 1 and first + 2 are a sparse tensor of so many elements and dimensions.
void SetSparseOutput(ShapeContext& c, int first, int64_t count, int64_t rank);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_TENSOR_H_
