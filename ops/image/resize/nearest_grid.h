// The grid of ResizeNearestNeighborGrad, whose size is an argument, for the CPU and for GPUs.
//
//   WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeNearestGradGrid(grads.shape(), size, mode));
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for gradients or sizes that cannot be.
#ifndef WARPBEAM_OPS_IMAGE_RESIZE_NEAREST_GRID_H_
#define WARPBEAM_OPS_IMAGE_RESIZE_NEAREST_GRID_H_

#include "ops/image/resize/resize_grid.h"

namespace warpbeam {

inline StatusOr<ResizeGrid> MakeNearestGradGrid(const Shape& grads, const Tensor& size,
                                                const ResizeMode& mode) {
  if (grads.rank() != 4) {
    return InvalidArgument("input must be 4-dimensional, got shape ", grads.ToString());
  }
  if (size.rank() != 1 || size.dim(0) != 2) {
    return InvalidArgument("size must be 1-dimensional and have two elements, got shape ",
                           size.shape().ToString());
  }
  const int32_t* extents = size.data<int32_t>();
  if (extents[0] < 1 || extents[1] < 1) {
    return InvalidArgument("size must be positive, got ", extents[0], " x ", extents[1]);
  }
  WB_ASSIGN_OR_RETURN(const Shape original,
                      Shape::Make({grads.dim(0), extents[0], extents[1], grads.dim(3)}));
  return MakeResizeGradGrid(grads, original, mode);
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_RESIZE_NEAREST_GRID_H_
