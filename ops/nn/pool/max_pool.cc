// MaxPool of images and MaxPool3D of volumes: the greatest element below each place of a window.
// MaxPoolV2 takes its window as inputs.

#include "ops/nn/pool/max_pool.h"

#include <memory>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/window/channels.h"
#include "ops/nn/window/emit_like.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status Pool(KernelContext& ctx, const PoolAttrs& attrs) {
  const Shape input = WithChannelsLast(ctx.input(0).shape(), attrs.format);
  PoolGeometry g;
  WB_RETURN_IF_ERROR(MakePoolGeometry(attrs, input, &g));
  WB_ASSIGN_OR_RETURN(const Shape shape, PoolOutputShape(attrs, g));
  LastChannelsOutput y(ctx, 0, attrs.format);
  WB_RETURN_IF_ERROR(y.Allocate(shape));
  WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, ctx.input(0), attrs.format));
  WB_RETURN_IF_ERROR(MaxPoolForward(ctx, x.dtype(), g, x.raw_data(), y.tensor().raw_data()));
  return y.Finish();
}

template <int kSpatial>
class MaxPoolKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, kSpatial));
    return std::make_unique<MaxPoolKernel>(attrs);
  }
  explicit MaxPoolKernel(const PoolAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override { return Pool(ctx, attrs_); }

 private:
  const PoolAttrs attrs_;
};

class MaxPoolV2Kernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelFormat(init, 2));
    return std::make_unique<MaxPoolV2Kernel>(attrs);
  }
  explicit MaxPoolV2Kernel(const PoolAttrs& format) : format_(format) {}
  Status Compute(KernelContext& ctx) override {
    PoolAttrs attrs = format_;
    WB_RETURN_IF_ERROR(ReadPoolWindow(ctx.input(1), ctx.input(2), &attrs));
    return Pool(ctx, attrs);
  }

 private:
  const PoolAttrs format_;
};

Status MaxPoolShape(ShapeContext& c) { return PoolShape(c, 2); }
Status MaxPool3DShape(ShapeContext& c) { return PoolShape(c, 3); }

Status MaxPoolV2Shape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  c.set_output(0, PartialShape::UnknownOfRank(4));
  const auto size = c.ConstantInput(1), strides = c.ConstantInput(2);
  auto attrs = ReadPoolFormat(c.attrs(), 2);
  if (!size.has_value() || !strides.has_value() || !attrs.ok()) return OkStatus();
  const Status window = ReadPoolWindow(*size, *strides, &*attrs);
  if (!window.ok()) return IsUnimplemented(window) ? OkStatus() : window;
  PartialShape output;
  WB_RETURN_IF_ERROR(PoolOutputPartialShape(*attrs, input, &output));
  c.set_output(0, output);
  return OkStatus();
}

Status MaxPoolGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "MaxPoolGrad", {c.x(0), c.y(0), c.dy(0)}));
  return OkStatus();
}
Status MaxPoolV2Gradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "MaxPoolGradV2", {c.x(0), c.y(0), c.dy(0), c.x(1), c.x(2)}));
  return OkStatus();
}
Status MaxPool3DGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "MaxPool3DGrad", {c.x(0), c.y(0), c.dy(0)}));
  return OkStatus();
}

constexpr TypeSet kMaxPool3DCpu = {DType::kBFloat16, DType::kFloat};
constexpr TypeSet kMaxPool3DGpu = {DType::kBFloat16, DType::kFloat, DType::kHalf};

}  // namespace

WB_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
        "float")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(MaxPoolShape);
WB_OP("MaxPoolV2")
    .Input("input: T")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr(
        "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
        "float")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
    .Shape(MaxPoolV2Shape);
WB_OP("MaxPool3D")
    .Input("input: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 5")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
    .Attr("T: {half, bfloat16, float}")
    .Shape(MaxPool3DShape);
WB_KERNEL("MaxPool", MaxPoolKernel<2>).Cpu({{"T", kRealTypes}}).Gpu({{"T", kFloatingTypes}});
WB_KERNEL("MaxPoolV2", MaxPoolV2Kernel)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"ksize", "strides"});
WB_KERNEL("MaxPool3D", MaxPoolKernel<3>).Cpu({{"T", kMaxPool3DCpu}}).Gpu({{"T", kMaxPool3DGpu}});
WB_GRADIENT("MaxPool", MaxPoolGradient);
WB_GRADIENT("MaxPoolV2", MaxPoolV2Gradient);
WB_GRADIENT("MaxPool3D", MaxPool3DGradient);

}  // namespace warpbeam
