// Conv3D, its two gradients, and the old forms of these, which take the whole tensor in place of
// its sizes.

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/window/emit_like.h"

namespace warpbeam {
namespace {

constexpr char kToInput[] = "Conv3DBackpropInputV2";
constexpr char kToFilter[] = "Conv3DBackpropFilterV2";

Status Conv3DShape(ShapeContext& c) { return ConvShape(c, 3, false); }
Status Conv3DBackpropInputShape(ShapeContext& c) { return ConvBackpropInputShape(c, 3); }
Status Conv3DBackpropFilterShape(ShapeContext& c) { return ConvBackpropFilterShape(c, 3); }
Status OldBackpropInputShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape input, c.WithRank(0, 5));
  c.set_output(0, std::move(input));
  return OkStatus();
}
Status OldBackpropFilterShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape filter, c.WithRank(1, 5));
  c.set_output(0, std::move(filter));
  return OkStatus();
}

Status Conv3DGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, kToInput, {c.ShapeOf(c.x(0)), c.x(1), c.dy(0)}));
  c.set_dx(1, EmitLike(c, kToFilter, {c.x(0), c.ShapeOf(c.x(1)), c.dy(0)}));
  return OkStatus();
}
Status Conv3DBackpropInputGradient(GradContext& c) {
  c.set_dx(1, EmitLike(c, kToFilter, {c.dy(0), c.ShapeOf(c.x(1)), c.x(2)}));
  c.set_dx(2, EmitLike(c, "Conv3D", {c.dy(0), c.x(1)}));
  return OkStatus();
}
Status Conv3DBackpropFilterGradient(GradContext& c) {
  c.set_dx(0, EmitLike(c, kToInput, {c.ShapeOf(c.x(0)), c.dy(0), c.x(2)}));
  c.set_dx(2, EmitLike(c, "Conv3D", {c.x(0), c.dy(0)}));
  return OkStatus();
}

constexpr TypeSet kOldCpu = {DType::kHalf, DType::kFloat, DType::kDouble};

}  // namespace

#define WB_CONV3D_ATTRS                                  \
  Attr("strides: list(int) >= 5")                        \
      .Attr("padding: {'SAME', 'VALID'}")                \
      .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'") \
      .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")

WB_OP("Conv3D")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .WB_CONV3D_ATTRS.Shape(Conv3DShape);
WB_OP("Conv3DBackpropInputV2")
    .Costs(CostClass::kConvolution)
    .Input("input_sizes: Tshape")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .WB_CONV3D_ATTRS.Attr("Tshape: {int32, int64} = int32")
    .Shape(Conv3DBackpropInputShape);
WB_OP("Conv3DBackpropFilterV2")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter_sizes: int32")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double}")
    .WB_CONV3D_ATTRS.Shape(Conv3DBackpropFilterShape);
WB_OP("Conv3DBackpropInput")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .Deprecated(10, "use Conv3DBackpropInputV2")
    .Shape(OldBackpropInputShape);
WB_OP("Conv3DBackpropFilter")
    .Costs(CostClass::kConvolution)
    .Input("input: T")
    .Input("filter: T")
    .Input("out_backprop: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Attr("strides: list(int) >= 5")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
    .Deprecated(10, "use Conv3DBackpropFilterV2")
    .Shape(OldBackpropFilterShape);

using OldBackpropInput = ConvBackpropInput<3, false, false>;
using OldBackpropFilter = ConvBackpropFilter<3, false, false>;
WB_KERNEL("Conv3D", ConvForward<3>).Cpu({{"T", kFloatingTypes}}).Gpu({{"T", kFloatingTypes}});
WB_KERNEL(kToInput, ConvBackpropInput<3>)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"input_sizes"});
WB_KERNEL(kToFilter, ConvBackpropFilter<3>)
    .Cpu({{"T", kFloatingTypes}})
    .Gpu({{"T", kFloatingTypes}})
    .HostMemory({"filter_sizes"});
WB_KERNEL("Conv3DBackpropInput", OldBackpropInput).Cpu({{"T", kOldCpu}}).Gpu({{"T", kOldCpu}});
WB_KERNEL("Conv3DBackpropFilter", OldBackpropFilter).Cpu({{"T", kOldCpu}}).Gpu({{"T", kOldCpu}});
WB_GRADIENT("Conv3D", Conv3DGradient);
WB_GRADIENT(kToInput, Conv3DBackpropInputGradient);
WB_GRADIENT(kToFilter, Conv3DBackpropFilterGradient);

}  // namespace warpbeam
