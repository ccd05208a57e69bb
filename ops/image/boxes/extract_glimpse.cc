// ExtractGlimpse, ExtractGlimpseV2: a window of one size cut out of each image, at a place of its
// own; what lies outside of the image is noise.
//
// In the first version an offset is where the window's centre lies; centred ones count half. In the
// second one it is where the upper left corner lies, unless it is centred and normalized.
#include <algorithm>
#include <cmath>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/random/distributions.h"
#include "ops/random/random_stream.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/running_step.h"

namespace warpbeam {
namespace {

enum class Noise { kUniform, kGaussian, kZero };

template <int kVersion>
class GlimpseKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<GlimpseKernel>();
    WB_ASSIGN_OR_RETURN(kernel->centered_, init.attr<bool>("centered"));
    WB_ASSIGN_OR_RETURN(kernel->normalized_, init.attr<bool>("normalized"));
    WB_ASSIGN_OR_RETURN(const bool uniform, init.attr<bool>("uniform_noise"));
    WB_ASSIGN_OR_RETURN(const std::string noise, init.attr<std::string>("noise"));
    if (uniform && !noise.empty() && noise != "uniform") {
      return InvalidArgument("The uniform_noise should not be True when noise is not uniform");
    }
    if (uniform || noise == "uniform") {
      kernel->noise_ = Noise::kUniform;
    } else if (noise.empty() || noise == "gaussian") {
      kernel->noise_ = Noise::kGaussian;
    } else if (noise == "zero") {
      kernel->noise_ = Noise::kZero;
    } else {
      return InvalidArgument("noise must be uniform, gaussian or zero, got '", noise, "'");
    }
    return kernel;
  }

  Status Compute(KernelContext& ctx) override {
    const Tensor input = ctx.input(0);
    const Tensor &size = ctx.input(1), &offsets = ctx.input(2);
    if (input.rank() != 4) {
      return InvalidArgument("input must be 4-dimensional, got shape ", input.shape().ToString());
    }
    if (size.rank() != 1 || size.dim(0) != 2) {
      return InvalidArgument("input must be a vector of size 2 [height, width], got shape ",
                             size.shape().ToString());
    }
    if (offsets.rank() != 2 || offsets.dim(0) != input.dim(0) || offsets.dim(1) != 2) {
      return InvalidArgument("offsets must have shape [", input.dim(0), ",2], got ",
                             offsets.shape().ToString());
    }
    const int32_t* extents = size.data<int32_t>();
    WB_ASSIGN_OR_RETURN(const Shape shape,
                        Shape::Make({input.dim(0), extents[0], extents[1], input.dim(3)}));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    FillWithNoise(input, out);
    for (int64_t b = 0; b < input.dim(0) && !RunningStep::IsOver(); ++b) {
      const float* offset = offsets.data<float>() + 2 * b;
      Cut(input, b, First(offset[0], input.dim(1), extents[0]),
          First(offset[1], input.dim(2), extents[1]), out);
    }
    return OkStatus();
  }

 private:
  // The first row (or column) of the window.
  int64_t First(float offset, int64_t extent, int64_t window) const {
    const float size = static_cast<float>(extent), half = static_cast<float>(window) / 2;
    float at = normalized_ ? offset * size : offset;
    if (kVersion == 1) {
      if (centered_) at = at / 2 + size / 2;
      at -= half;
    } else if (centered_) {
      at = normalized_ ? at / 2 + size / 2 - half : at + size / 2;
    }
    if (!(at > -1e9f)) return -1000000000;  // far outside, or no number
    return static_cast<int64_t>(std::min(at, 1e9f));
  }

  static void Cut(const Tensor& input, int64_t image, int64_t first_row, int64_t first_column,
                  Tensor* out) {
    const int64_t channels = input.dim(3), columns = input.dim(2);
    const int64_t begin = std::max<int64_t>(0, -first_column);
    const int64_t end = std::min(out->dim(2), columns - first_column);
    for (int64_t row = 0; row < out->dim(1) && begin < end; ++row) {
      const int64_t from_row = first_row + row;
      if (from_row < 0 || from_row >= input.dim(1)) continue;
      const float* from =
          input.data<float>() +
          ((image * input.dim(1) + from_row) * columns + first_column + begin) * channels;
      float* to =
          out->data<float>() + ((image * out->dim(1) + row) * out->dim(2) + begin) * channels;
      std::copy_n(from, (end - begin) * channels, to);
    }
  }

  // How many values pass until the kernel looks whether anyone waits for them.
  static constexpr int64_t kValuesBetweenLooks = 1 << 16;

  void FillWithNoise(const Tensor& input, Tensor* out) const {
    float* to = out->data<float>();
    const int64_t n = out->num_elements();
    std::fill_n(to, n, 0.0f);
    if (noise_ == Noise::kZero || input.num_elements() == 0) return;
    const Span<const float> values = input.flat<float>();
    // Seeds that nobody can foresee: the op has none.
    Philox stream = RandomStream(0, 0).Reserve(0);
    if (noise_ == Noise::kUniform) {
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      PhiloxNumbers numbers(stream);
      for (int64_t i = 0; i < n; ++i) {
        if (i % kValuesBetweenLooks == 0 && RunningStep::IsOver()) return;
        to[i] = *least + (*most - *least) * UniformFloat(numbers.Next());
      }
      return;
    }
    double sum = 0, squares = 0;
    for (const float x : values) sum += x;
    const double mean = sum / static_cast<double>(values.size());
    for (const float x : values) squares += (x - mean) * (x - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(values.size()));
    NormalDoubles normal;
    for (int64_t i = 0; i < n; ++i) {
      if (i % kValuesBetweenLooks == 0 && RunningStep::IsOver()) return;
      to[i] = static_cast<float>(mean + deviation * normal.Next(stream));
    }
  }

  bool centered_ = true, normalized_ = true;
  Noise noise_ = Noise::kUniform;
};

Status GlimpseShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  WB_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape offsets, c.WithRank(2, 2));
  WB_RETURN_IF_ERROR(PartialShape::Merge(size, PartialShape({2})).status());
  WB_ASSIGN_OR_RETURN(const PartialShape batch,
                      PartialShape::Merge(offsets, PartialShape({input.dim(0), 2})));
  PartialShape out({batch.dim(0), -1, -1, input.dim(3)});
  if (const std::optional<Tensor> known = c.ConstantInput(1); known && known->num_elements() == 2) {
    for (int i = 0; i < 2; ++i) out.set_dim(i + 1, std::max(-1, known->data<int32_t>()[i]));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

WB_OP("ExtractGlimpse")
    .Input("input: float")
    .Input("size: int32")
    .Input("offsets: float")
    .Output("glimpse: float")
    .Attr("centered: bool = true")
    .Attr("normalized: bool = true")
    .Attr("uniform_noise: bool = true")
    .Attr("noise: string = 'uniform'")
    .Shape(GlimpseShape);
WB_KERNEL("ExtractGlimpse", GlimpseKernel<1>).Cpu();
WB_NO_GRADIENT("ExtractGlimpse");

WB_OP("ExtractGlimpseV2")
    .Input("input: float")
    .Input("size: int32")
    .Input("offsets: float")
    .Output("glimpse: float")
    .Attr("centered: bool = true")
    .Attr("normalized: bool = true")
    .Attr("uniform_noise: bool = true")
    .Attr("noise: string = 'uniform'")
    .Shape(GlimpseShape);
WB_KERNEL("ExtractGlimpseV2", GlimpseKernel<2>).Cpu();

}  // namespace
}  // namespace warpbeam
