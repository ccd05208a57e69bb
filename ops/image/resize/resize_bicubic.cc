// ResizeBicubic and its gradient: each pixel is mixed from the sixteen of the old image around it,
// with the weights of R. Keys, "Cubic convolution interpolation for digital image processing"
// (1981).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/op/op_registry.h"
#include "ops/image/resize/resize_grid.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

// Weights are those of the nearest 1024th of a pixel, as TensorFlow's are.
constexpr int kSteps = 1024;

// Four rows (or columns) of the old image and what each counts.
struct Taps {
  std::array<int64_t, 4> at;
  std::array<float, 4> weight;
};

// The weight of a pixel `step` 1024ths away, and of the one beyond it.
void WeightsAt(int step, double a, float* near, float* far) {
  float x = static_cast<float>(step * 1.0 / kSteps);
  *near = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
  x = static_cast<float>(x + 1.0);
  *far = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
}

Taps TapsAt(const ResizeAxis& axis, int64_t i) {
  const float at = axis.At(i);
  const int64_t first = static_cast<int64_t>(std::floor(at)) - 1;
  const float delta = at - static_cast<float>(first + 1);
  const int step = static_cast<int>(std::lrintf(delta * kSteps));
  // With pixels counted by their corners TensorFlow takes a sharper curve.
  const double a = axis.half_pixel_centers ? -0.5 : -0.75;
  Taps taps;
  WeightsAt(step, a, &taps.weight[1], &taps.weight[0]);
  WeightsAt(kSteps - step, a, &taps.weight[2], &taps.weight[3]);
  for (int64_t k = 0; k < 4; ++k) {
    taps.at[static_cast<size_t>(k)] = std::clamp<int64_t>(first + k, 0, axis.in - 1);
  }
  if (!axis.half_pixel_centers) return taps;
  // What lies outside counts nothing, and the others more.
  float sum = 0;
  for (size_t k = 0; k < 4; ++k) {
    if (taps.at[k] != first + static_cast<int64_t>(k)) taps.weight[k] = 0;
    sum += taps.weight[k];
  }
  if (std::abs(sum) >= 1000 * std::numeric_limits<float>::min()) {
    for (float& weight : taps.weight) weight *= 1 / sum;
  }
  return taps;
}

std::vector<Taps> TapsOf(const ResizeAxis& axis) {
  std::vector<Taps> taps;
  taps.reserve(static_cast<size_t>(axis.out));
  for (int64_t i = 0; i < axis.out; ++i) taps.push_back(TapsAt(axis, i));
  return taps;
}

class BicubicKernel final : public MixingKernel<BicubicKernel> {
 public:
  using MixingKernel::MixingKernel;
  template <class T>
  static void Mix(const KernelContext& ctx, const ResizeGrid& g, const T* from, float* to) {
    const std::vector<Taps> rows = TapsOf(g.y), columns = TapsOf(g.x);
    const int64_t stride = g.x.in * g.channels;
    const int64_t cost = 4 * stride + 4 * g.x.out * g.channels;
    StoppableFor(ctx, g.batch * g.y.out, cost, [&](int64_t begin, int64_t end) {
      // The four rows mixed to one.
      std::vector<float> mixed(static_cast<size_t>(stride));
      for (int64_t i = begin; i < end; ++i) {
        const Taps& row = rows[static_cast<size_t>(i % g.y.out)];
        const T* image = from + i / g.y.out * g.y.in * stride;
        for (int64_t j = 0; j < stride; ++j) {
          float sum = 0;
          for (size_t k = 0; k < 4; ++k) {
            sum += static_cast<float>(image[row.at[k] * stride + j]) * row.weight[k];
          }
          mixed[static_cast<size_t>(j)] = sum;
        }
        float* pixel = to + i * g.x.out * g.channels;
        for (const Taps& column : columns) {
          for (int64_t c = 0; c < g.channels; ++c) {
            float sum = 0;
            for (size_t k = 0; k < 4; ++k) {
              sum += mixed[static_cast<size_t>(column.at[k] * g.channels + c)] * column.weight[k];
            }
            *pixel++ = sum;
          }
        }
      }
    });
  }
};

class BicubicGradKernel final : public SpreadingKernel<BicubicGradKernel, TypeList<float, double>> {
 public:
  using SpreadingKernel::SpreadingKernel;
  template <class T>
  static void Spread(const KernelContext& ctx, const ResizeGrid& g, const float* from, T* to) {
    const std::vector<Taps> rows = TapsOf(g.y), columns = TapsOf(g.x);
    const int64_t stride = g.x.in * g.channels;
    const int64_t places = g.y.out * g.x.out * g.channels;
    StoppableFor(ctx, g.batch, 16 * places, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        T* image = to + b * g.y.in * stride;
        std::fill_n(image, g.y.in * stride, T(0));
        const float* grad = from + b * places;
        for (const Taps& row : rows) {
          for (const Taps& column : columns) {
            for (size_t k = 0; k < 16; ++k) {
              const float weight = row.weight[k / 4] * column.weight[k % 4];
              T* pixel = image + row.at[k / 4] * stride + column.at[k % 4] * g.channels;
              for (int64_t c = 0; c < g.channels; ++c) {
                pixel[c] += static_cast<T>(grad[c]) * static_cast<T>(weight);
              }
            }
            grad += g.channels;
          }
        }
      }
    });
  }
};

WB_OP("ResizeBicubic")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: float")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(ResizedShape);
WB_KERNEL("ResizeBicubic", BicubicKernel).Cpu({{"T", kResizeTypes}});

WB_OP("ResizeBicubicGrad")
    .Input("grads: float")
    .Input("original_image: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(ResizeGradShape);
WB_KERNEL("ResizeBicubicGrad", BicubicGradKernel)
    .Cpu({{"T", TypeSet{DType::kFloat, DType::kDouble}}});

Status BicubicGradient(GradContext& c) {
  const DType type = c.type(c.x(0));
  if (type != DType::kFloat && type != DType::kDouble) return OkStatus();
  return EmitResizeGrad(c, "ResizeBicubicGrad");
}
WB_GRADIENT("ResizeBicubic", BicubicGradient);

}  // namespace
}  // namespace warpbeam
