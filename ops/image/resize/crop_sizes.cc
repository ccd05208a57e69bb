#include "ops/image/resize/crop_sizes.h"

namespace warpbeam {
namespace {

Status CheckBoxes(const Tensor& boxes, const Tensor& box_index) {
  if (boxes.num_elements() == 0 && box_index.num_elements() == 0) return OkStatus();
  if (boxes.rank() != 2 || boxes.dim(1) != 4) {
    return InvalidArgument("boxes must be 2-D with 4 columns, got shape ",
                           boxes.shape().ToString());
  }
  if (box_index.rank() != 1 || box_index.dim(0) != boxes.dim(0)) {
    return InvalidArgument("box_index must be 1-D with one element for each of ", boxes.dim(0),
                           " boxes, got shape ", box_index.shape().ToString());
  }
  return OkStatus();
}

Status CheckImage(const Shape& image) {
  if (image.rank() != 4) {
    return InvalidArgument("input image must be 4-D, got shape ", image.ToString());
  }
  if (image.dim(1) < 1 || image.dim(2) < 1) {
    return InvalidArgument("image dimensions must be positive, got shape ", image.ToString());
  }
  return OkStatus();
}

Status CheckGrads(const Shape& grads, int64_t boxes, int64_t depth) {
  if (grads.rank() != 4) {
    return InvalidArgument("grads image must be 4-D, got shape ", grads.ToString());
  }
  if (grads.dim(1) < 1 || grads.dim(2) < 1) {
    return InvalidArgument("grads dimensions must be positive, got shape ", grads.ToString());
  }
  if (grads.dim(0) != boxes) {
    return InvalidArgument("boxes and grads have incompatible shape: ", boxes, " boxes, grads of ",
                           grads.ToString());
  }
  if (grads.dim(3) != depth) {
    return InvalidArgument("image depth ", depth, " and grads of shape ", grads.ToString(),
                           " are incompatible");
  }
  return OkStatus();
}

}  // namespace

StatusOr<CropSizes> CropSizes::OfCrops(const KernelContext& ctx) {
  const Tensor &image = ctx.input(0), &boxes = ctx.input(1), &box_index = ctx.input(2);
  const Tensor& size = ctx.input(3);
  WB_RETURN_IF_ERROR(CheckImage(image.shape()));
  WB_RETURN_IF_ERROR(CheckBoxes(boxes, box_index));
  if (size.rank() != 1 || size.dim(0) != 2) {
    return InvalidArgument("crop_size must be 1-D with two elements, got shape ",
                           size.shape().ToString());
  }
  const int32_t* crop = size.data<int32_t>();
  if (crop[0] < 1 || crop[1] < 1) {
    return InvalidArgument("crop dimensions must be positive, got ", crop[0], " x ", crop[1]);
  }
  return CropSizes{image.dim(0), image.dim(1), image.dim(2), image.dim(3), box_index.num_elements(),
                   crop[0],      crop[1]};
}

StatusOr<CropSizes> CropSizes::OfImageGradient(const KernelContext& ctx) {
  const Tensor &grads = ctx.input(0), &boxes = ctx.input(1), &box_index = ctx.input(2);
  const Tensor& size = ctx.input(3);
  if (size.rank() != 1 || size.dim(0) != 4) {
    return InvalidArgument("image_size must be 1-D with 4 elements, got shape ",
                           size.shape().ToString());
  }
  const int32_t* n = size.data<int32_t>();
  if (n[0] < 0 || n[1] < 1 || n[2] < 1 || n[3] < 0) {
    return InvalidArgument("image dimensions must be positive, got ", n[0], " x ", n[1], " x ",
                           n[2], " x ", n[3]);
  }
  WB_RETURN_IF_ERROR(CheckBoxes(boxes, box_index));
  WB_RETURN_IF_ERROR(CheckGrads(grads.shape(), box_index.num_elements(), n[3]));
  return CropSizes{n[0], n[1], n[2], n[3], grads.dim(0), grads.dim(1), grads.dim(2)};
}

StatusOr<CropSizes> CropSizes::OfBoxesGradient(const KernelContext& ctx) {
  const Tensor &grads = ctx.input(0), &image = ctx.input(1);
  const Tensor &boxes = ctx.input(2), &box_index = ctx.input(3);
  WB_RETURN_IF_ERROR(CheckImage(image.shape()));
  WB_RETURN_IF_ERROR(CheckBoxes(boxes, box_index));
  WB_RETURN_IF_ERROR(CheckGrads(grads.shape(), box_index.num_elements(), image.dim(3)));
  return CropSizes{image.dim(0), image.dim(1), image.dim(2), image.dim(3),
                   grads.dim(0), grads.dim(1), grads.dim(2)};
}

StatusOr<bool> IsNearest(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::string method, init.attr<std::string>("method"));
  return method == "nearest";
}

}  // namespace warpbeam
