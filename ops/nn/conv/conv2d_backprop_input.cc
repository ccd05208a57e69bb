// Conv2DBackpropInput: what a convolution's input contributed to its result; also known as the
// transposed convolution.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/window/emit_like.h"

namespace warpbeam {
namespace {

Status Conv2DBackpropInputShape(ShapeContext& c) { return ConvBackpropInputShape(c, 2); }

// It is linear in the filter and in the output's gradient.
Status Conv2DBackpropInputGradient(GradContext& c) {
  c.set_dx(1, EmitLike(c, "Conv2DBackpropFilter", {c.dy(0), c.ShapeOf(c.x(1)), c.x(2)}));
  c.set_dx(2, EmitLike(c, "Conv2D", {c.dy(0), c.x(1)}));
  return OkStatus();
}

constexpr TypeSet kTypes = kFloatingTypes | TypeSet{DType::kInt32};

// Like input 0, which stands where its sizes stood.
Status LikeOperand(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(0, 4));
  c.set_output(0, shape);
  return OkStatus();
}

}  // namespace

WB_OP("Conv2DBackpropInput")
    .Costs(CostClass::kConvolution)
    .Input("input_sizes: int32")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Shape(Conv2DBackpropInputShape);
WB_KERNEL("Conv2DBackpropInput", ConvBackpropInput<2>)
    .Cpu({{"T", kTypes}})
    .Gpu({{"T", kTypes}})
    .HostMemory({"input_sizes"});
WB_GRADIENT("Conv2DBackpropInput", Conv2DBackpropInputGradient);

// TensorFlow knows this op, but only its compiler for accelerators computes it.
WB_OP("Conv2DBackpropInputV2")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32}")
    .Attr("strides: list(int)")
    .Attr("use_cudnn_on_gpu: bool = true")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("dilations: list(int) = [1, 1, 1, 1]")
    .Shape(LikeOperand);

}  // namespace warpbeam
