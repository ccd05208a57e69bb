// ResizeArea: each pixel is the mean of the part of the old image that it covers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/image/resize/resize_grid.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// A row (or column) of the old image and how much of it is covered.
struct Part {
  int64_t at;
  float weight;
};

std::vector<Part> PartsOf(const ResizeAxis& axis, int64_t i) {
  if (!(axis.scale > 0)) return {{0, 1}};  // corners aligned with those of a single pixel
  const float begin = static_cast<float>(i) * axis.scale;
  const float end = static_cast<float>(i + 1) * axis.scale;
  const int64_t last = static_cast<int64_t>(std::ceil(end));
  std::vector<Part> parts;
  for (int64_t k = static_cast<int64_t>(std::floor(begin)); k < last; ++k) {
    const float from = static_cast<float>(k), to = static_cast<float>(k + 1);
    const float weight =
        from < begin ? (to > end ? axis.scale : to - begin) : (to > end ? end - from : 1.0f);
    parts.push_back({std::clamp<int64_t>(k, 0, axis.in - 1), weight});
  }
  return parts;
}

std::vector<std::vector<Part>> AllPartsOf(const ResizeAxis& axis) {
  std::vector<std::vector<Part>> parts;
  for (int64_t i = 0; i < axis.out; ++i) parts.push_back(PartsOf(axis, i));
  return parts;
}

class AreaKernel final : public MixingKernel<AreaKernel> {
 public:
  using MixingKernel::MixingKernel;
  template <class T>
  static void Mix(const KernelContext& ctx, const ResizeGrid& g, const T* from, float* to) {
    const std::vector<std::vector<Part>> rows = AllPartsOf(g.y), columns = AllPartsOf(g.x);
    const auto covered = [](const ResizeAxis& axis) { return axis.scale > 0 ? axis.scale : 1; };
    const float scale = 1 / (covered(g.y) * covered(g.x));
    const int64_t stride = g.x.in * g.channels;
    const int64_t cost = 2 * stride * (g.y.in / g.y.out + 1);
    StoppableFor(ctx, g.batch * g.y.out, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* image = from + i / g.y.out * g.y.in * stride;
        float* pixel = to + i * g.x.out * g.channels;
        for (const std::vector<Part>& column : columns) {
          std::fill_n(pixel, g.channels, 0.0f);
          for (const Part& y : rows[static_cast<size_t>(i % g.y.out)]) {
            for (const Part& x : column) {
              const T* in = image + y.at * stride + x.at * g.channels;
              for (int64_t c = 0; c < g.channels; ++c) {
                pixel[c] += static_cast<float>(in[c]) * y.weight * scale * x.weight;
              }
            }
          }
          pixel += g.channels;
        }
      }
    });
  }
};

WB_OP("ResizeArea")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Shape(ResizedShape);
WB_KERNEL("ResizeArea", AreaKernel).Cpu({{"T", kResizeTypes}});

}  // namespace
}  // namespace warpbeam
