// What the kernels of SparseSlice and of its gradient have in common, whatever device they are on.
//
//   WB_ASSIGN_OR_RETURN(const SparseBox box, SparseBox::Read(x, ctx.input(3), ctx.input(4)));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT for arguments that are no vectors of one
// number for each dimension, for negative sizes, and for a box too far out of the tensor.
#ifndef WARPBEAM_OPS_SPARSE_SPARSE_BOX_H_
#define WARPBEAM_OPS_SPARSE_SPARSE_BOX_H_

#include "absl/strings/string_view.h"
#include "ops/sparse/sparse_tensor.h"

namespace warpbeam {

// A vector of one number for each of `rank` dimensions.
Status CheckBoxVector(const Tensor& t, int rank, absl::string_view argument);
// Its numbers, in host memory.
StatusOr<Dims> ReadBoxVector(const Tensor& t, int rank, absl::string_view argument);

struct SparseBox {
  Dims start, end;  // of what is kept: start <= index < end
  Dims dims;        // of the slice

  // The box ends with the tensor. It may begin before it: those places are empty.
  static StatusOr<SparseBox> Read(const SparseView& x, const Tensor& start, const Tensor& size);
};

// Of the gradient: the inputs' shapes fit each other.
Status CheckSliceGradient(const SparseView& x, const SparseView& y, const Tensor& dy);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_SPARSE_SPARSE_BOX_H_
