// ResizeNearestNeighbor and its gradient: each pixel is that of the old image which is nearest.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/image/resize/nearest_grid.h"
#include "ops/image/resize/resize_grid.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/type_list.h"

namespace warpbeam {
namespace {

// For every row (or column) of the new image that of the old one.
std::vector<int64_t> NearestOf(const ResizeAxis& axis, const ResizeMode& mode) {
  std::vector<int64_t> nearest(static_cast<size_t>(axis.out));
  for (int64_t i = 0; i < axis.out; ++i) {
    const float at = (static_cast<float>(i) + (mode.half_pixel_centers ? 0.5f : 0.0f)) * axis.scale;
    const int64_t rounded =
        static_cast<int64_t>(mode.align_corners ? std::round(at) : std::floor(at));
    nearest[static_cast<size_t>(i)] = std::clamp<int64_t>(rounded, 0, axis.in - 1);
  }
  return nearest;
}

class NearestKernel final : public ResizeKernel<NearestKernel> {
 public:
  using ResizeKernel::ResizeKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeResizeGrid(ctx, mode()));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, g.out_shape()));
    if (IsOfNothing(images, out)) return OkStatus();
    const std::vector<int64_t> rows = NearestOf(g.y, mode()), columns = NearestOf(g.x, mode());
    return DispatchPlainElements(images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = images.data<T>();
      T* to = out->data<T>();
      ctx.ParallelFor(
          g.batch * g.y.out, g.x.out * (g.channels + 2), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const int64_t row = i / g.y.out * g.y.in + rows[static_cast<size_t>(i % g.y.out)];
              const T* in = from + row * g.x.in * g.channels;
              T* pixel = to + i * g.x.out * g.channels;
              for (const int64_t column : columns) {
                pixel = std::copy_n(in + column * g.channels, g.channels, pixel);
              }
            }
          });
      return OkStatus();
    });
  }
};

class NearestGradKernel final : public ResizeKernel<NearestGradKernel> {
 public:
  using ResizeKernel::ResizeKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor grads = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const ResizeGrid g,
                        MakeNearestGradGrid(grads.shape(), ctx.input(1), mode()));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, g.in_shape()));
    if (IsOfNothing(grads, out)) return OkStatus();
    return DispatchTypes<uint8_t, int8_t, int32_t, Half, float, double, BFloat16>(
        grads.dtype(), [&](auto tag) {
          using T = typename decltype(tag)::type;
          Sum(ctx, g, grads.data<T>(), out->data<T>());
          return OkStatus();
        });
  }

 private:
  // Each row of the old image sums the rows of the new one that were taken from it.
  template <class T>
  void Sum(const KernelContext& ctx, const ResizeGrid& g, const T* from, T* to) const {
    const std::vector<int64_t> rows = NearestOf(g.y, mode()), columns = NearestOf(g.x, mode());
    ctx.ParallelFor(g.batch, g.y.out * g.x.out * g.channels, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        T* image = to + b * g.y.in * g.x.in * g.channels;
        std::fill_n(image, g.y.in * g.x.in * g.channels, T(0));
        const T* grad = from + b * g.y.out * g.x.out * g.channels;
        for (const int64_t row : rows) {
          for (const int64_t column : columns) {
            T* pixel = image + (row * g.x.in + column) * g.channels;
            for (int64_t c = 0; c < g.channels; ++c) {
              pixel[c] = static_cast<T>(pixel[c] + *grad++);
            }
          }
        }
      }
    });
  }
};

Status NearestGradShape(ShapeContext& c) { return ResizedShape(c); }

WB_OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(ResizedShape);
WB_KERNEL("ResizeNearestNeighbor", NearestKernel)
    .Cpu({{"T", kResizeTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"size"});

WB_OP("ResizeNearestNeighborGrad")
    .Input("grads: T")
    .Input("size: int32")
    .Output("output: T")
    .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(NearestGradShape);
WB_KERNEL("ResizeNearestNeighborGrad", NearestGradKernel)
    .Cpu({{"T", kFloatingTypes | TypeSet{DType::kUInt8, DType::kInt8, DType::kInt32}}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"size"});

Status NearestGradient(GradContext& c) {
  const OutputRef size =
      c.Folded(c.Emit("StridedSlice", {c.ShapeOf(c.x(0)), c.Ints({1}), c.Ints({3}), c.Ints({1})}));
  c.set_dx(0, c.Emit("ResizeNearestNeighborGrad", {c.dy(0), size},
                     {{"align_corners", c.attr_or<bool>("align_corners", false)},
                      {"half_pixel_centers", c.attr_or<bool>("half_pixel_centers", false)}}));
  return OkStatus();
}
WB_GRADIENT("ResizeNearestNeighbor", NearestGradient);

}  // namespace
}  // namespace warpbeam
