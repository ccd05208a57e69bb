#include "ops/sparse/sparse_box.h"

#include <algorithm>

namespace warpbeam {

Status CheckBoxVector(const Tensor& t, int rank, absl::string_view argument) {
  if (t.rank() == 1 && t.dim(0) == rank) return OkStatus();
  return InvalidArgument("'", argument, "' must be a vector of ", rank,
                         " numbers, one per dimension, but has shape ", t.shape().ToString());
}

StatusOr<Dims> ReadBoxVector(const Tensor& t, int rank, absl::string_view argument) {
  WB_RETURN_IF_ERROR(CheckBoxVector(t, rank, argument));
  return ReadIndices(t, argument);
}

StatusOr<SparseBox> SparseBox::Read(const SparseView& x, const Tensor& start, const Tensor& size) {
  WB_RETURN_IF_ERROR(DenseShape(x).status());
  SparseBox box;
  WB_ASSIGN_OR_RETURN(box.start, ReadBoxVector(start, x.rank, "start"));
  WB_ASSIGN_OR_RETURN(const Dims sizes, ReadBoxVector(size, x.rank, "size"));
  box.end = box.dims = box.start;
  for (int d = 0; d < x.rank; ++d) {
    if (sizes[d] < 0) return InvalidArgument("'size' must not be negative, but holds ", sizes[d]);
    if (__builtin_add_overflow(box.start[d], sizes[d], &box.end[d])) box.end[d] = x.dims[d];
    box.end[d] = std::min(box.end[d], x.dims[d]);
    if (__builtin_sub_overflow(box.end[d], box.start[d], &box.dims[d])) {
      return InvalidArgument("'start' is too far out of the tensor: ", box.start[d]);
    }
    box.dims[d] = std::max<int64_t>(box.dims[d], 0);
  }
  return box;
}

Status CheckSliceGradient(const SparseView& x, const SparseView& y, const Tensor& dy) {
  if (y.rank != x.rank) {
    return InvalidArgument("'input_indices' and 'output_indices' must have equally many columns, ",
                           "but have ", x.rank, " and ", y.rank);
  }
  if (dy.rank() != 1 || dy.dim(0) != y.count) {
    return InvalidArgument("'backprop_val_grad' must be a vector of one value for each of ",
                           y.count, " rows of 'output_indices', but has shape ",
                           dy.shape().ToString());
  }
  return OkStatus();
}

}  // namespace warpbeam
