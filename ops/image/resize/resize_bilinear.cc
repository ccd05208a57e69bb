// ResizeBilinear and its gradient: each pixel is mixed from the four of the old image around it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/image/resize/resize_grid.h"

namespace warpbeam {
namespace {

// Two rows (or columns) of the old image, and how far the place is from the first to the second.
struct Between {
  int64_t lower, upper;
  float lerp;
};

std::vector<Between> BetweenOf(const ResizeAxis& axis) {
  std::vector<Between> places(static_cast<size_t>(axis.out));
  for (int64_t i = 0; i < axis.out; ++i) {
    const float at = axis.At(i);
    const float floor = std::floor(at);
    places[static_cast<size_t>(i)] = {
        std::clamp<int64_t>(static_cast<int64_t>(floor), 0, axis.in - 1),
        std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, axis.in - 1), at - floor};
  }
  return places;
}

class BilinearKernel final : public MixingKernel<BilinearKernel> {
 public:
  using MixingKernel::MixingKernel;
  template <class T>
  static void Mix(const KernelContext& ctx, const ResizeGrid& g, const T* from, float* to) {
    const std::vector<Between> rows = BetweenOf(g.y), columns = BetweenOf(g.x);
    const int64_t stride = g.x.in * g.channels;
    ctx.ParallelFor(g.batch * g.y.out, 4 * g.x.out * g.channels, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Between& row = rows[static_cast<size_t>(i % g.y.out)];
        const T* image = from + i / g.y.out * g.y.in * stride;
        const T *top = image + row.lower * stride, *bottom = image + row.upper * stride;
        float* pixel = to + i * g.x.out * g.channels;
        for (const Between& column : columns) {
          const int64_t left = column.lower * g.channels, right = column.upper * g.channels;
          for (int64_t c = 0; c < g.channels; ++c) {
            const float tl = static_cast<float>(top[left + c]);
            const float tr = static_cast<float>(top[right + c]);
            const float bl = static_cast<float>(bottom[left + c]);
            const float br = static_cast<float>(bottom[right + c]);
            const float upper = tl + (tr - tl) * column.lerp;
            const float lower = bl + (br - bl) * column.lerp;
            *pixel++ = upper + (lower - upper) * row.lerp;
          }
        }
      }
    });
  }
};

class BilinearGradKernel final : public SpreadingKernel<BilinearGradKernel, FloatTypeList> {
 public:
  using SpreadingKernel::SpreadingKernel;
  // Sums of 16-bit types are kept as floats.
  template <class T>
  static void Spread(const KernelContext& ctx, const ResizeGrid& g, const float* from, T* to) {
    using Sum = ComputeType<T>;
    const std::vector<Between> rows = BetweenOf(g.y), columns = BetweenOf(g.x);
    const int64_t stride = g.x.in * g.channels;
    const int64_t places = g.y.out * g.x.out * g.channels;
    ctx.ParallelFor(g.batch, 8 * places, [&](int64_t begin, int64_t end) {
      std::vector<Sum> sums(static_cast<size_t>(g.y.in * stride));
      for (int64_t b = begin; b < end; ++b) {
        std::fill(sums.begin(), sums.end(), Sum(0));
        Sum* const image = sums.data();
        const float* grad = from + b * places;
        for (const Between& row : rows) {
          Sum *top = image + row.lower * stride, *bottom = image + row.upper * stride;
          for (const Between& column : columns) {
            const int64_t left = column.lower * g.channels, right = column.upper * g.channels;
            for (int64_t c = 0; c < g.channels; ++c) {
              const float dy = *grad++;
              const float upper = dy * (1 - row.lerp), lower = dy * row.lerp;
              top[left + c] += static_cast<Sum>(upper * (1 - column.lerp));
              top[right + c] += static_cast<Sum>(upper * column.lerp);
              bottom[left + c] += static_cast<Sum>(lower * (1 - column.lerp));
              bottom[right + c] += static_cast<Sum>(lower * column.lerp);
            }
          }
        }
        std::transform(sums.begin(), sums.end(), to + b * g.y.in * stride,
                       [](Sum sum) { return static_cast<T>(sum); });
      }
    });
  }
};

WB_OP("ResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(ResizedShape);
WB_KERNEL("ResizeBilinear", BilinearKernel)
    .Cpu({{"T", kResizeTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"size"});

WB_OP("ResizeBilinearGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, bfloat16, half, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(ResizeGradShape);
WB_KERNEL("ResizeBilinearGrad", BilinearGradKernel)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}});

Status BilinearGradient(GradContext& c) { return EmitResizeGrad(c, "ResizeBilinearGrad"); }
WB_GRADIENT("ResizeBilinear", BilinearGradient);
WB_NO_GRADIENT("ResizeBilinearGrad");

}  // namespace
}  // namespace warpbeam
