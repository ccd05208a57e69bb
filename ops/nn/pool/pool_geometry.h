// PoolGeometry: one pooling in numbers, of images or volumes; and the attributes it comes from.
//
//   WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, ReadPoolAttrs(init.attrs, /*spatial=*/2));
//   PoolGeometry g;
//   WB_RETURN_IF_ERROR(MakePoolGeometry(attrs, input_shape, &g));
//
// Data is laid out [batch, depth, height, width, channels]; images have depth 1. A window over the
// channels (`channel_window`) is one over nothing else.
//
// Thread safety: values and pure functions. Errors: INVALID_ARGUMENT for windows and shapes that do
// not go together, UNIMPLEMENTED for windows over the batch and mixed windows.
#ifndef WARPBEAM_OPS_NN_POOL_POOL_GEOMETRY_H_
#define WARPBEAM_OPS_NN_POOL_POOL_GEOMETRY_H_

#include <algorithm>

#include "graph/op/shape_context.h"
#include "ops/nn/window/window.h"
#include "runtime/kernel/kernel.h"

namespace warpbeam {

struct PoolAttrs {
  DataFormat format;
  DimensionList size;
  DimensionList strides;
  WindowPadding padding;
};

struct PoolGeometry {
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t channel_window = 1;
  int64_t input[3] = {1, 1, 1};
  int64_t size[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t before[3] = {0, 0, 0};
  int64_t output[3] = {1, 1, 1};

  int64_t input_pixels() const { return input[0] * input[1] * input[2]; }
  int64_t output_pixels() const { return output[0] * output[1] * output[2]; }
  // How long one channel of an image takes where an element in a window takes `ns`. A window may be
  // larger than any number of elements, but only what lies in the image is looked at.
  int64_t Nanoseconds(double ns) const {
    for (int i = 0; i < 3; ++i) ns *= static_cast<double>(output[i]) * std::min(size[i], input[i]);
    return static_cast<int64_t>(std::min(ns, 1e15)) + 1;
  }
  // Whether every pixel of the input lies in one window and in no other.
  bool tiles() const {
    for (int i = 0; i < 3; ++i) {
      if (stride[i] != size[i] || output[i] * size[i] - before[i] < input[i]) return false;
    }
    return true;
  }
};

// Everything but the window's extent and strides, which some ops take as inputs.
StatusOr<PoolAttrs> ReadPoolFormat(const AttrMap& attrs, int spatial);
StatusOr<PoolAttrs> ReadPoolAttrs(const AttrMap& attrs, int spatial);
// The same for a kernel: refuses what there is no kernel for on the device. With channels first the
// CPU has none for the ops of PoolKernelFormat, and for those of PoolKernelAttrs it has what
// TensorFlow has there: of the types that CpuTakesChannelsFirst names, without explicit paddings
// and windows over the channels.
StatusOr<PoolAttrs> PoolKernelFormat(const KernelInit& init, int spatial);
StatusOr<PoolAttrs> PoolKernelAttrs(const KernelInit& init, int spatial);
// PoolKernelAttrs of an op that takes means, which there are none of over channels.
StatusOr<PoolAttrs> MeanPoolAttrs(const KernelInit& init, int spatial);
// Takes the window's extent and strides from two vectors.
Status ReadPoolWindow(const Tensor& size, const Tensor& strides, PoolAttrs* attrs);
Status CheckPoolWindow(const PoolAttrs& attrs);

// `input` has its channels last.
Status MakePoolGeometry(const PoolAttrs& attrs, const Shape& input, PoolGeometry* geometry);
// The shape of the pooled data, channels last.
StatusOr<Shape> PoolOutputShape(const PoolAttrs& attrs, const PoolGeometry& geometry);
// INVALID_ARGUMENT unless `shape` is `expected`; `what` names the argument.
Status CheckPoolShape(const char* what, const Shape& shape, const Shape& expected);
// The shape that an input of sizes names, which is in host memory everywhere; channels last.
StatusOr<Shape> GivenPoolInput(const Tensor& sizes, const DataFormat& format);

// Shape functions.
Status PoolShape(ShapeContext& c, int spatial);
Status PoolOutputPartialShape(const PoolAttrs& attrs, const PartialShape& input,
                              PartialShape* output);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_NN_POOL_POOL_GEOMETRY_H_
