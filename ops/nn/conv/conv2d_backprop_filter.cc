// Conv2DBackpropFilter: the gradient of a convolution with respect to its filter.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/window/emit_like.h"

namespace warpbeam {
namespace {

Status Conv2DBackpropFilterShape(ShapeContext& c) { return ConvBackpropFilterShape(c, 2); }

// It is linear in the input and in the output's gradient.
Status Conv2DBackpropFilterGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, "Conv2DBackpropInput", {c.ShapeOf(c.x(0)), c.dy(0), c.x(2)}));
  c.set_dx(2, EmitLike(c, "Conv2D", {c.x(0), c.dy(0)}));
  return OkStatus();
}

// Like input 1, which stands where its sizes stood.
Status LikeOperand(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(1, 4));
  c.set_output(0, shape);
  return OkStatus();
}

}  // namespace

WB_OP("Conv2DBackpropFilter")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Shape(Conv2DBackpropFilterShape);
WB_KERNEL("Conv2DBackpropFilter", ConvBackpropFilter<2>)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"filter_sizes"});
WB_GRADIENT("Conv2DBackpropFilter", Conv2DBackpropFilterGradient);

// TensorFlow knows this op, but only its compiler for accelerators computes it.
WB_OP("Conv2DBackpropFilterV2")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Shape(LikeOperand);

}  // namespace warpbeam
