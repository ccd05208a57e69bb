// Conv2D: every pixel of the result is a product of the filter with what lies below its window.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/window/emit_like.h"

namespace warpbeam {
namespace {

Status Conv2DShape(ShapeContext& c) { return ConvShape(c, 2, false); }

Status Conv2DGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "Conv2DBackpropInput", {c.ShapeOf(c.x(0)), c.x(1), c.dy(0)}));
  c.set_dx(1, EmitLike(c, "Conv2DBackpropFilter", {c.x(0), c.ShapeOf(c.x(1)), c.dy(0)}));
  return OkStatus();
}

constexpr TypeSet kTypes = kFloatingTypes | TypeSet{DType::kInt32};

}  // namespace

WB_OP("Conv2D")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Shape(Conv2DShape);
WB_KERNEL("Conv2D", ConvForward<2>).Cpu({{"T", kTypes}}).Gpu({{"T", kTypes}});
WB_GRADIENT("Conv2D", Conv2DGradient);

}  // namespace warpbeam
