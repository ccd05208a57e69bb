// QuantizedResizeBilinear: quantised images of another size, interpolated in integers; the range
// stays. Images of float are interpolated as such.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/image/resize/resize_grid.h"

namespace warpbeam {
namespace {

// How a weight of the second of two pixels is counted, and what their mixture is computed in.
template <class T>
struct Weights {
  using Weight = float;
  static float Of(float fraction) { return fraction; }
  static T Mix(T top_left, T top_right, T bottom_left, T bottom_right, float x, float y) {
    const float top = top_left + (top_right - top_left) * x;
    const float bottom = bottom_left + (bottom_right - bottom_left) * x;
    return top + (bottom - top) * y;
  }
};

template <class T, class Wide, int kBits>
struct IntegerWeights {
  using Weight = Wide;
  static constexpr Wide kOne = Wide{1} << kBits;
  static Wide Of(float fraction) { return static_cast<Wide>(fraction * static_cast<float>(kOne)); }
  static T Mix(T top_left, T top_right, T bottom_left, T bottom_right, Wide x, Wide y) {
    const Wide top = Wide{top_left} * kOne + (Wide{top_right} - Wide{top_left}) * x;
    const Wide bottom = Wide{bottom_left} * kOne + (Wide{bottom_right} - Wide{bottom_left}) * x;
    const Wide mixed = top + (bottom - top) / kOne * y;
    return static_cast<T>((mixed + kOne / 2) / kOne);
  }
};
template <>
struct Weights<uint8_t> : IntegerWeights<uint8_t, int32_t, 7> {};
template <>
struct Weights<int32_t> : IntegerWeights<int32_t, int64_t, 30> {};

// Between which two rows or columns a new one lies.
template <class T>
struct Between {
  int64_t lower, upper;
  typename Weights<T>::Weight weight;
};
template <class T>
std::vector<Between<T>> Positions(const ResizeAxis& axis) {
  std::vector<Between<T>> all;
  for (int64_t i = 0; i < axis.out; ++i) {
    const float at = axis.At(i), below = std::floor(at);
    const int64_t last = axis.in - 1;
    const int64_t lower = std::min(std::max(static_cast<int64_t>(below), int64_t{0}), last);
    const int64_t upper = std::min(static_cast<int64_t>(std::ceil(at)), last);
    all.push_back({lower, std::max(upper, int64_t{0}), Weights<T>::Of(at - below)});
  }
  return all;
}

template <class T>
void Resize(KernelContext& ctx, const ResizeGrid& g, const T* images, T* out) {
  const auto rows = Positions<T>(g.y), cols = Positions<T>(g.x);
  const int64_t row_size = g.x.in * g.channels;
  ctx.ParallelFor(g.batch * g.y.out, 4 * g.x.out * g.channels, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* image = images + i / g.y.out * g.y.in * row_size;
      const Between<T>& y = rows[static_cast<size_t>(i % g.y.out)];
      const T *top = image + y.lower * row_size, *bottom = image + y.upper * row_size;
      T* to = out + i * g.x.out * g.channels;
      for (const Between<T>& x : cols) {
        const int64_t left = x.lower * g.channels, right = x.upper * g.channels;
        for (int64_t c = 0; c < g.channels; ++c) {
          *to++ = Weights<T>::Mix(top[left + c], top[right + c], bottom[left + c],
                                  bottom[right + c], x.weight, y.weight);
        }
      }
    }
  });
}

class QuantizedResizeBilinearKernel final : public Kernel {
 public:
  explicit QuantizedResizeBilinearKernel(const ResizeMode& mode) : mode_(mode) {}
  // Both ways of aligning may be combined.
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    ResizeMode mode;
    WB_ASSIGN_OR_RETURN(mode.align_corners, init.attr<bool>("align_corners"));
    WB_ASSIGN_OR_RETURN(mode.half_pixel_centers, init.attr<bool>("half_pixel_centers"));
    return std::make_unique<QuantizedResizeBilinearKernel>(mode);
  }
  Status Compute(KernelContext& ctx) override {
    for (const int end : {2, 3}) {
      if (ctx.input(end).rank() != 0) {
        return InvalidArgument(end == 2 ? "min" : "max", " must be a scalar, not of shape ",
                               ctx.input(end).shape().ToString());
      }
    }
    WB_ASSIGN_OR_RETURN(const ResizeGrid g, MakeResizeGrid(ctx, mode_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, g.out_shape()));
    ctx.set_output(1, ctx.input(2));
    ctx.set_output(2, ctx.input(3));
    if (y->num_elements() == 0) return OkStatus();
    const auto resize = [&](auto zero) {
      using T = decltype(zero);
      Resize<T>(ctx, g, static_cast<const T*>(ctx.input(0).raw_data()),
                static_cast<T*>(y->raw_data()));
    };
    if (y->dtype() == DType::kFloat) {
      resize(0.0f);
    } else if (y->dtype() == DType::kQInt32) {
      resize(int32_t{0});
    } else {
      resize(uint8_t{0});
    }
    return OkStatus();
  }

 private:
  const ResizeMode mode_;
};

Status QuantizedResizeShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(ResizedShape(c));
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(1, PartialShape(Shape()));
  c.set_output(2, PartialShape(Shape()));
  return OkStatus();
}

WB_OP("QuantizedResizeBilinear")
    .Input("images: T")
    .Input("size: int32")
    .Input("min: float")
    .Input("max: float")
    .Output("resized_images: T")
    .Output("out_min: float")
    .Output("out_max: float")
    .Attr("T: {quint8, qint32, float}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .Shape(QuantizedResizeShape);
WB_KERNEL("QuantizedResizeBilinear", QuantizedResizeBilinearKernel)
    .Cpu({{"T", {DType::kFloat, DType::kQInt32, DType::kQUInt8}}})
    .HostMemory({"size"});

}  // namespace
}  // namespace warpbeam
