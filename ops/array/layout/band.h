// Band: the arguments of MatrixBandPart, read and checked, for the CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(const Band band, Band::Read(ctx));
//   const bool is_kept = col >= row - band.below && col <= row + band.above;
//
// Thread safety: values. Errors: INVALID_ARGUMENT for less than two dimensions, and for numbers of
// diagonals that are no scalars or exceed the matrix.
#ifndef WARPBEAM_OPS_ARRAY_LAYOUT_BAND_H_
#define WARPBEAM_OPS_ARRAY_LAYOUT_BAND_H_

#include "ops/array/index/index_argument.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct Band {
  int64_t rows = 0, cols = 0;
  int64_t below = 0, above = 0;  // so many diagonals beside the main one are kept

  static StatusOr<Band> Read(const KernelContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.rank() < 2) {
      return InvalidArgument("input must be at least 2-dim, received shape: ",
                             x.shape().ToString());
    }
    Band band;
    band.rows = x.dim(x.rank() - 2);
    band.cols = x.dim(x.rank() - 1);
    WB_ASSIGN_OR_RETURN(band.below, Kept(ctx.input(1), band.rows, "num_lower"));
    WB_ASSIGN_OR_RETURN(band.above, Kept(ctx.input(2), band.cols, "num_upper"));
    return band;
  }

 private:
  // All of `extent` for a negative number.
  static StatusOr<int64_t> Kept(const Tensor& t, int64_t extent, const char* argument) {
    if (t.rank() != 0) {
      return InvalidArgument("'", argument, "' must be a scalar, not of shape ",
                             t.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(int64_t kept, ReadIndex(t, argument));
    if (kept > extent) {
      return InvalidArgument("'", argument, "' must be negative or at most ", extent, ", it is ",
                             kept);
    }
    return kept < 0 ? extent : kept;
  }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_LAYOUT_BAND_H_
