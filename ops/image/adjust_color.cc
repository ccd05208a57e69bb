// AdjustHue, AdjustSaturation: pixels turned on the colour wheel, and moved to or from grey.
#include <cmath>

#include "graph/op/op_registry.h"
#include "ops/image/color.h"
#include "ops/image/pixels.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Keeps the least and the greatest channel, so that negative colours stay whole.
struct TurnHue {
  static constexpr const char* kName = "delta";
  float amount;
  void operator()(const float* in, float* out) const {
    const float most = std::max({in[0], in[1], in[2]});
    const float least = std::min({in[0], in[1], in[2]});
    float hue = HueOf(in[0], in[1], in[2], most, most - least) + amount;
    hue -= std::floor(hue);
    ShareOf(hue, out);
    for (int c = 0; c < 3; ++c) out[c] = least + (most - least) * out[c];
  }
};

struct ScaleSaturation {
  static constexpr const char* kName = "scale";
  float amount;
  void operator()(const float* in, float* out) const {
    Hsv<float> color = ToHsv(in[0], in[1], in[2]);
    color.s = std::clamp(color.s * amount, 0.0f, 1.0f);
    FromHsv(color, out);
  }
};

template <class T, class Change>
class AdjustKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustKernel>();
  }
  absl::Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckPixels(images, 3));
    WB_RETURN_IF_ERROR(CheckScalar(ctx.input(1), Change::kName));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    ForEachPixel<T>(ctx, images, out, Change{ctx.input(1).scalar<float>()});
    return absl::OkStatus();
  }
};

template <class T>
using HueKernel = AdjustKernel<T, TurnHue>;
template <class T>
using SaturationKernel = AdjustKernel<T, ScaleSaturation>;

WB_OP("AdjustHue")
    .Input("images: T")
    .Input("delta: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustHue", HueKernel<float>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat}}});
WB_KERNEL("AdjustHue", HueKernel<Half>).Gpu({{"T", {DType::kHalf}}});

WB_OP("AdjustSaturation")
    .Input("images: T")
    .Input("scale: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustSaturation", SaturationKernel<float>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat}}});
WB_KERNEL("AdjustSaturation", SaturationKernel<Half>).Gpu({{"T", {DType::kHalf}}});

}  // namespace
}  // namespace warpbeam
