// RGBToHSV, HSVToRGB: pixels from one colour space to the other.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/image/color.h"
#include "ops/image/pixels.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class T, bool kToHsv>
class ColorSpaceKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<ColorSpaceKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor images = ctx.input(0);
    WB_RETURN_IF_ERROR(CheckColors(images));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, images.shape()));
    ForEachPixel<T>(ctx, images, out, host_pass::ChangeColorSpace<Working<T>, kToHsv>());
    return OkStatus();
  }
};

template <class T>
using ToHsvKernel = ColorSpaceKernel<T, true>;
template <class T>
using ToRgbKernel = ColorSpaceKernel<T, false>;

Status ColorsShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape images, c.WithRankAtLeast(0, 1));
  if (images.has_rank()) {
    const int last = images.rank() - 1;
    if (images.dim(last) >= 0 && images.dim(last) != 3) {
      return InvalidArgument("the last dimension must be 3 channels, not ", images.dim(last));
    }
    images.set_dim(last, 3);
  }
  c.set_output(0, images);
  return OkStatus();
}

WB_OP("RGBToHSV")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
    .Shape(ColorsShape);
WB_OP("HSVToRGB")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
    .Shape(ColorsShape);

#define WB_COLOR_SPACE_KERNELS(op, Class)                                                  \
  WB_KERNEL(op, Class<Half>).Cpu({{"T", {DType::kHalf}}});                                 \
  WB_KERNEL(op, Class<BFloat16>).Cpu({{"T", {DType::kBFloat16}}});                         \
  WB_KERNEL(op, Class<float>).Cpu({{"T", {DType::kFloat}}}).Gpu({{"T", {DType::kFloat}}}); \
  WB_KERNEL(op, Class<double>).Cpu({{"T", {DType::kDouble}}}).Gpu({{"T", {DType::kDouble}}})
WB_COLOR_SPACE_KERNELS("RGBToHSV", ToHsvKernel);
WB_COLOR_SPACE_KERNELS("HSVToRGB", ToRgbKernel);
#undef WB_COLOR_SPACE_KERNELS

WB_NO_GRADIENT("HSVToRGB");

}  // namespace
}  // namespace warpbeam
