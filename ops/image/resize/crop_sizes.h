// CropSizes: the sizes that CropAndResize and its gradients are given, checked; for the CPU and for
// GPUs.
//
//   WB_ASSIGN_OR_RETURN(const CropSizes s, CropSizes::OfCrops(ctx));
//
// What boxes and their indices hold is not looked at. Thread safety: values. Errors:
// INVALID_ARGUMENT for shapes that do not fit, and for sizes that cannot be.
#ifndef WARPBEAM_OPS_IMAGE_RESIZE_CROP_SIZES_H_
#define WARPBEAM_OPS_IMAGE_RESIZE_CROP_SIZES_H_

#include <string>

#include "graph/types/tensor.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

struct CropSizes {
  int64_t batch, height, width, depth;  // of the images
  int64_t boxes, crop_height, crop_width;

  int64_t crop_size() const { return crop_height * crop_width * depth; }

  // Of the kernels of CropAndResize, CropAndResizeGradImage and CropAndResizeGradBoxes.
  static StatusOr<CropSizes> OfCrops(const KernelContext& ctx);
  static StatusOr<CropSizes> OfImageGradient(const KernelContext& ctx);
  static StatusOr<CropSizes> OfBoxesGradient(const KernelContext& ctx);
};

// Whether the attribute "method" is nearest.
StatusOr<bool> IsNearest(const KernelInit& init);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_RESIZE_CROP_SIZES_H_
