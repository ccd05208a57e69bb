// DepthwiseConv2dNative and its two gradients: a convolution in which every channel has filters of
// its own and mixes with no other.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/window/emit_like.h"

namespace warpbeam {
namespace {

constexpr char kForward[] = "DepthwiseConv2dNative";
constexpr char kToInput[] = "DepthwiseConv2dNativeBackpropInput";
constexpr char kToFilter[] = "DepthwiseConv2dNativeBackpropFilter";

Status DepthwiseShape(ShapeContext& c) { return ConvShape(c, 2, true); }
Status DepthwiseBackpropInputShape(ShapeContext& c) { return ConvBackpropInputShape(c, 2); }
Status DepthwiseBackpropFilterShape(ShapeContext& c) { return ConvBackpropFilterShape(c, 2); }

Status DepthwiseGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, kToInput, {c.ShapeOf(c.x(0)), c.x(1), c.dy(0)}));
  c.set_dx(1, EmitLike(c, kToFilter, {c.x(0), c.ShapeOf(c.x(1)), c.dy(0)}));
  return OkStatus();
}
Status DepthwiseBackpropInputGradient(GradContext& c) {
  c.set_dx(1, EmitLike(c, kToFilter, {c.dy(0), c.ShapeOf(c.x(1)), c.x(2)}));
  c.set_dx(2, EmitLike(c, kForward, {c.dy(0), c.x(1)}));
  return OkStatus();
}
Status DepthwiseBackpropFilterGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, kToInput, {c.ShapeOf(c.x(0)), c.dy(0), c.x(2)}));
  c.set_dx(2, EmitLike(c, kForward, {c.x(0), c.dy(0)}));
  return OkStatus();
}

}  // namespace

#define WB_DEPTHWISE_ATTRS                            \
  Attr("T: {half, bfloat16, float, double}")          \
      .Attr("strides: list(int)")                     \
      .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}") \
      .Attr("explicit_paddings: list(int) = []")      \
      .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'") \
      .Attr("dilations: list(int) = [1, 1, 1, 1]")

WB_OP("DepthwiseConv2dNative")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .WB_DEPTHWISE_ATTRS.Shape(DepthwiseShape);
WB_OP("DepthwiseConv2dNativeBackpropInput")
    .Costs(CostClass::kConvolution)
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .WB_DEPTHWISE_ATTRS.Shape(DepthwiseBackpropInputShape);
WB_OP("DepthwiseConv2dNativeBackpropFilter")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .WB_DEPTHWISE_ATTRS.Shape(DepthwiseBackpropFilterShape);

using DepthwiseForward = ConvForward<2, true>;
using DepthwiseBackpropInput = ConvBackpropInput<2, true>;
using DepthwiseBackpropFilter = ConvBackpropFilter<2, true>;
WB_KERNEL(kForward, DepthwiseForward).Cpu({{"T", kFloatingTypes}}).Gpu({{"T", kFloatingTypes}});
WB_KERNEL(kToInput, DepthwiseBackpropInput)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"input_sizes"});
WB_KERNEL(kToFilter, DepthwiseBackpropFilter)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"filter_sizes"});
WB_GRADIENT("DepthwiseConv2dNative", DepthwiseGradient);
WB_GRADIENT("DepthwiseConv2dNativeBackpropInput", DepthwiseBackpropInputGradient);
WB_GRADIENT("DepthwiseConv2dNativeBackpropFilter", DepthwiseBackpropFilterGradient);

}  // namespace warpbeam
