// The gradients of max-pooling, and their gradients: MaxPoolGrad and MaxPoolGradGrad, of images
// (and with the window as inputs, V2) and of volumes.

#include <memory>
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/pool/max_pool.h"
#include "ops/nn/window/channels.h"
#include "ops/nn/window/emit_like.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

StatusOr<Shape> MakeMaxPoolGradGeometry(const KernelContext& ctx, const PoolAttrs& attrs,
                                        bool select, PoolGeometry* geometry) {
  const DataFormat& format = attrs.format;
  const Shape input = WithChannelsLast(ctx.input(0).shape(), format);
  WB_RETURN_IF_ERROR(MakePoolGeometry(attrs, input, geometry));
  if (geometry->channel_window != 1) return Unimplemented("gradients of pooling over channels");
  WB_ASSIGN_OR_RETURN(const Shape pooled, PoolOutputShape(attrs, *geometry));
  WB_RETURN_IF_ERROR(
      CheckPoolShape("orig_output", WithChannelsLast(ctx.input(1).shape(), format), pooled));
  WB_RETURN_IF_ERROR(CheckPoolShape("grad", WithChannelsLast(ctx.input(2).shape(), format),
                                    select ? input : pooled));
  return select ? pooled : input;
}

namespace {

// input, output, gradient -> the input's gradient; or with `select` the output's, of second order.
Status PoolGradient(KernelContext& ctx, const PoolAttrs& attrs, bool select) {
  const DataFormat& format = attrs.format;
  PoolGeometry g;
  WB_ASSIGN_OR_RETURN(const Shape shape, MakeMaxPoolGradGeometry(ctx, attrs, select, &g));
  LastChannelsOutput result(ctx, 0, format);
  WB_RETURN_IF_ERROR(result.Allocate(shape));
  WB_ASSIGN_OR_RETURN(const Tensor x, ChannelsLast(ctx, ctx.input(0), format));
  WB_ASSIGN_OR_RETURN(const Tensor y, ChannelsLast(ctx, ctx.input(1), format));
  WB_ASSIGN_OR_RETURN(const Tensor dy, ChannelsLast(ctx, ctx.input(2), format));
  if (select) {
    WB_RETURN_IF_ERROR(MaxPoolSelect(ctx, x.dtype(), g, x.raw_data(), y.raw_data(), dy.raw_data(),
                                     result.tensor().raw_data()));
  } else {
    WB_RETURN_IF_ERROR(MaxPoolBackward(ctx, x.dtype(), MaxRuleOf(format), g, x.raw_data(),
                                       y.raw_data(), dy.raw_data(), result.tensor().raw_data()));
  }
  return result.Finish();
}

template <int kSpatial, bool kSelect>
class MaxPoolGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    if (kSelect) WB_RETURN_IF_ERROR(PoolKernelFormat(init, kSpatial).status());
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelAttrs(init, kSpatial));
    return std::make_unique<MaxPoolGradKernel>(attrs);
  }
  explicit MaxPoolGradKernel(const PoolAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override { return PoolGradient(ctx, attrs_, kSelect); }

 private:
  const PoolAttrs attrs_;
};

template <bool kSelect>
class MaxPoolGradV2Kernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolKernelFormat(init, 2));
    return std::make_unique<MaxPoolGradV2Kernel>(attrs);
  }
  explicit MaxPoolGradV2Kernel(const PoolAttrs& format) : format_(format) {}
  Status Compute(KernelContext& ctx) override {
    PoolAttrs attrs = format_;
    WB_RETURN_IF_ERROR(ReadPoolWindow(ctx.input(3), ctx.input(4), &attrs));
    return PoolGradient(ctx, attrs, kSelect);
  }

 private:
  const PoolAttrs format_;
};

template <int kInput, int kRank>
Status LikeInput(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(kInput, kRank));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

// MaxPoolGrad chooses by its first two inputs and is linear in the third; so is MaxPoolGradGrad.
Status LinearInThird(GradContext& c, const char* op, bool window_inputs) {
  std::vector<NodeInput> inputs = {c.x(0), c.x(1), c.dy(0)};
  if (window_inputs) {
    inputs.push_back(c.x(3));
    inputs.push_back(c.x(4));
  }
  c.set_dx(0, c.ZerosLike(c.x(0)));
  c.set_dx(1, c.ZerosLike(c.x(1)));
  c.set_dx(2, EmitLike(c, op, inputs));
  return OkStatus();
}
Status GradGradient(GradContext& c) { return LinearInThird(c, "MaxPoolGradGrad", false); }
Status GradV2Gradient(GradContext& c) { return LinearInThird(c, "MaxPoolGradGradV2", true); }
Status GradGradGradient(GradContext& c) { return LinearInThird(c, "MaxPoolGrad", false); }
Status Grad3DGradient(GradContext& c) { return LinearInThird(c, "MaxPool3DGradGrad", false); }
Status GradGrad3DGradient(GradContext& c) { return LinearInThird(c, "MaxPool3DGrad", false); }

constexpr TypeSet kBFloat16Set = {DType::kBFloat16}, kFloatSet = {DType::kFloat},
                  kHalfSet = {DType::kHalf};
constexpr TypeSet kVolumeCpu = {DType::kBFloat16, DType::kFloat};
constexpr TypeSet kVolumeGpu = {DType::kBFloat16, DType::kFloat, DType::kHalf};

}  // namespace

#define WB_REAL_TYPES \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"

#define WB_POOL_GRADIENT_OP(name) \
  WB_OP(name).Input("orig_input: T").Input("orig_output: T").Input("grad: T")

WB_POOL_GRADIENT_OP("MaxPoolGrad")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(WB_REAL_TYPES " = float")
    .Shape(LikeInput<0, 4>);
WB_POOL_GRADIENT_OP("MaxPoolGradV2")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(WB_REAL_TYPES " = float")
    .Shape(LikeInput<0, 4>);
WB_POOL_GRADIENT_OP("MaxPoolGradGrad")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(WB_REAL_TYPES)
    .Shape(LikeInput<1, 4>);
WB_POOL_GRADIENT_OP("MaxPoolGradGradV2")
    .Input("ksize: int32")
    .Input("strides: int32")
    .Output("output: T")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr(WB_REAL_TYPES)
    .Shape(LikeInput<1, 4>);
WB_OP("MaxPool3DGrad")
    .Input("orig_input: TInput")
    .Input("orig_output: TInput")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 5")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
    .Attr("T: {half, bfloat16, float} = float")
    .Attr("TInput: {half, bfloat16, float} = float")
    .Shape(LikeInput<0, 5>);
WB_POOL_GRADIENT_OP("MaxPool3DGradGrad")
    .Output("output: T")
    .Attr("ksize: list(int) >= 5")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
    .Attr(WB_REAL_TYPES)
    .Shape(LikeInput<1, 5>);

using GradKernel = MaxPoolGradKernel<2, false>;
using GradGradKernel = MaxPoolGradKernel<2, true>;
using Grad3DKernel = MaxPoolGradKernel<3, false>;
using GradGrad3DKernel = MaxPoolGradKernel<3, true>;
WB_KERNEL("MaxPoolGrad", GradKernel).Cpu({{"T", kRealTypes}}).Gpu({{"T", kFloatingTypes}});
WB_KERNEL("MaxPoolGradGrad", GradGradKernel).Cpu({{"T", kRealTypes}}).Gpu({{"T", kFloatingTypes}});
WB_KERNEL("MaxPoolGradV2", MaxPoolGradV2Kernel<false>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"ksize", "strides"});
WB_KERNEL("MaxPoolGradGradV2", MaxPoolGradV2Kernel<true>)
    .Cpu({{"T", kRealTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"ksize", "strides"});
WB_KERNEL("MaxPool3DGrad", Grad3DKernel)
    .Cpu({{"T", kFloatSet}, {"TInput", kFloatSet}})
    .Gpu({{"T", kFloatSet}, {"TInput", kFloatSet}});
WB_KERNEL("MaxPool3DGrad", Grad3DKernel)
    .Cpu({{"T", kBFloat16Set}, {"TInput", kBFloat16Set}})
    .Gpu({{"T", kBFloat16Set}, {"TInput", kBFloat16Set}});
WB_KERNEL("MaxPool3DGrad", Grad3DKernel).Gpu({{"T", kHalfSet}, {"TInput", kHalfSet}});
WB_KERNEL("MaxPool3DGradGrad", GradGrad3DKernel).Cpu({{"T", kVolumeCpu}}).Gpu({{"T", kVolumeGpu}});
WB_GRADIENT("MaxPoolGrad", GradGradient);
WB_GRADIENT("MaxPoolGradV2", GradV2Gradient);
WB_GRADIENT("MaxPoolGradGrad", GradGradGradient);
WB_GRADIENT("MaxPool3DGrad", Grad3DGradient);
WB_GRADIENT("MaxPool3DGradGrad", GradGrad3DGradient);

}  // namespace warpbeam
