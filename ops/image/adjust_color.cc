// AdjustHue, AdjustSaturation: pixels turned on the colour wheel, and moved to or from grey.
#include "graph/op/op_registry.h"
#include "ops/image/color.h"
#include "ops/image/pixels.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using host_pass::ScaleSaturation;
using host_pass::TurnHue;

template <class Change>
class AdjustKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<AdjustKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckAdjusted(ctx, Change::kAmount));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    return DispatchTypes<float, Half>(images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ForEachPixel<T>(ctx, images, out, Change{ctx.input(1).scalar<float>()});
      return OkStatus();
    });
  }
};

WB_OP("AdjustHue")
    .Input("images: T")
    .Input("delta: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustHue", AdjustKernel<TurnHue>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat, DType::kHalf}}});

WB_OP("AdjustSaturation")
    .Input("images: T")
    .Input("scale: float")
    .Output("output: T")
    .Attr("T: {half, float} = DT_FLOAT")
    .Shape(AdjustedShape);
WB_KERNEL("AdjustSaturation", AdjustKernel<ScaleSaturation>)
    .Cpu({{"T", {DType::kFloat}}})
    .Gpu({{"T", {DType::kFloat, DType::kHalf}}});

}  // namespace
}  // namespace warpbeam
