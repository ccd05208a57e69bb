// What ops on the colours of pixels share: their checks, their loop, their shape function.
//
//   WB_RETURN_IF_ERROR(CheckPixels(ctx.input(0), /*least_rank=*/3));
//   ForEachPixel<float>(ctx, images, out, [](const float* in, float* rgb) { … });
//
// Thread safety: pure. Errors: INVALID_ARGUMENT for what are no pixels of three channels.
#ifndef WARPBEAM_OPS_IMAGE_PIXELS_H_
#define WARPBEAM_OPS_IMAGE_PIXELS_H_

#include <type_traits>

#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// What is computed with: the type itself, float for those of 16 bits.
template <class T>
using Working = std::conditional_t<std::is_same_v<T, double>, double, float>;

inline Status CheckPixels(const Tensor& images, int least_rank) {
  if (images.rank() < least_rank) {
    return InvalidArgument("input must be at least ", least_rank, "-D, got shape",
                           images.shape().ToString());
  }
  if (images.dim(images.rank() - 1) != 3) {
    return InvalidArgument("input must have 3 channels but instead has ",
                           images.dim(images.rank() - 1), " channels.");
  }
  return OkStatus();
}

inline Status CheckScalar(const Tensor& t, const char* name) {
  if (t.rank() == 0) return OkStatus();
  return InvalidArgument(name, " must be scalar: ", t.shape().ToString());
}

// The checks of AdjustHue and AdjustSaturation: images, and by how much.
inline Status CheckAdjusted(const KernelContext& ctx, const char* amount) {
  WB_RETURN_IF_ERROR(CheckPixels(ctx.input(0), 3));
  return CheckScalar(ctx.input(1), amount);
}
// Those of RGBToHSV and HSVToRGB.
inline Status CheckColors(const Tensor& images) {
  if (images.rank() > 0 && images.dim(images.rank() - 1) != 3) {
    return FailedPrecondition("input must have 3 channels but input only has ",
                              images.dim(images.rank() - 1), " channels.");
  }
  return CheckPixels(images, 1);
}

// Calls `change` with each pixel's three channels and room for the new ones, which may be the same.
template <class T, class Change>
void ForEachPixel(const KernelContext& ctx, const Tensor& images, Tensor* out, Change change) {
  using W = Working<T>;
  const T* const from = images.data<T>();
  T* const to = out->data<T>();
  ctx.ParallelFor(images.num_elements() / 3, /*ns_per_item=*/10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      W in[3], result[3];
      for (int c = 0; c < 3; ++c) in[c] = static_cast<W>(from[3 * i + c]);
      change(in, result);
      for (int c = 0; c < 3; ++c) to[3 * i + c] = static_cast<T>(result[c]);
    }
  });
}

// Rank at least 3, the last dimension as it is; further inputs are scalars.
inline Status AdjustedShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape images, c.WithRankAtLeast(0, 3));
  for (int i = 1; i < c.num_inputs(); ++i) WB_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  c.set_output(0, images);
  return OkStatus();
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_IMAGE_PIXELS_H_
