// Sets of values as ops receive them: the innermost rows of a dense or a sparse tensor, one set for
// each index of the dimensions before.
//
//   WB_ASSIGN_OR_RETURN(const auto sets, SetsOfDense<int32_t>(ctx.input(0)));
//   for (const ValueSet<int32_t>& s : sets) Use(s.group, s.values);   // ascending, no value twice
//
// A sparse tensor has sets only for groups with elements; they come by ascending group.
//
// Ownership: sets hold copies. Thread safety: pure. Errors: INVALID_ARGUMENT for tensors of fewer
// than two dimensions and for indices outside the groups.
#ifndef WARPBEAM_OPS_SET_VALUE_SETS_H_
#define WARPBEAM_OPS_SET_VALUE_SETS_H_

#include <algorithm>
#include <vector>

#include "ops/sparse/sparse_tensor.h"

namespace warpbeam {

template <typename T>
struct ValueSet {
  int64_t group = 0;  // row-major number among the groups
  std::vector<T> values;
};

template <typename T>
void SortAndDeduplicate(std::vector<T>* values) {
  std::sort(values->begin(), values->end());
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

// The shape of the groups: all dimensions but the last.
inline StatusOr<Shape> GroupShape(Span<const int64_t> dims) {
  if (dims.size() < 2) {
    return InvalidArgument("sets need a tensor of at least two dimensions, this one has ",
                           dims.size());
  }
  return Shape::Make(dims.first(dims.size() - 1));
}

template <typename T>
StatusOr<std::vector<ValueSet<T>>> SetsOfDense(const Tensor& x) {
  WB_ASSIGN_OR_RETURN(const Shape groups, GroupShape(x.shape().dims()));
  const int64_t width = x.dim(x.rank() - 1);
  std::vector<ValueSet<T>> sets;
  for (int64_t g = 0; g < groups.num_elements() && width > 0; ++g) {
    const T* row = x.data<T>() + g * width;
    sets.push_back({g, std::vector<T>(row, row + width)});
    SortAndDeduplicate(&sets.back().values);
  }
  return sets;
}

template <typename T>
StatusOr<std::vector<ValueSet<T>>> SetsOfSparse(const SparseView& x, bool validate) {
  WB_ASSIGN_OR_RETURN(const Shape groups, GroupShape(x.dims));
  if (validate) {
    WB_RETURN_IF_ERROR(CheckBounds(x));
    WB_RETURN_IF_ERROR(CheckOrder(x));
  }
  std::vector<int> columns;
  for (int d = 0; d < groups.rank(); ++d) columns.push_back(d);
  const std::vector<int64_t> order = RowOrder(x, columns);
  std::vector<ValueSet<T>> sets;
  WB_RETURN_IF_ERROR(ForEachGroup(x, order, columns, [&](size_t begin, size_t end) -> Status {
    ValueSet<T> set;
    const int64_t* row = x.row(order[begin]);
    for (const int d : columns) {
      if (row[d] < 0 || row[d] >= x.dims[d]) {
        return InvalidArgument("index ", order[begin], " is ", RowToString(row, x.rank),
                               ", out of bounds of the dense shape ",
                               RowToString(x.dims.data(), x.rank));
      }
      set.group = set.group * x.dims[d] + row[d];
    }
    for (size_t i = begin; i < end; ++i) set.values.push_back(x.values->data<T>()[order[i]]);
    SortAndDeduplicate(&set.values);
    sets.push_back(std::move(set));
    return OkStatus();
  }));
  return sets;
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SET_VALUE_SETS_H_
