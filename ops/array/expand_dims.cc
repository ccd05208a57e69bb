// ExpandDims: a new dimension of extent 1.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/index/index_argument.h"
#include "ops/array/kernel_types.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ExpandDimsShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  const std::optional<int64_t> axis = c.ConstantScalar(1);
  if (!x.has_rank()) return OkStatus();
  if (!axis) {
    c.set_output(0, PartialShape::UnknownOfRank(x.rank() + 1));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(*axis, x.rank() + 1));
  std::vector<int64_t> dims = x.dims();
  dims.insert(dims.begin() + a, 1);
  c.set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

Status RunExpandDims(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  WB_ASSIGN_OR_RETURN(int64_t axis, ReadIndex(ctx.input(1), "dim"));
  WB_ASSIGN_OR_RETURN(int a, ResolveAxis(axis, x.rank() + 1));
  WB_ASSIGN_OR_RETURN(Shape shape, x.shape().Insert(a, 1));
  WB_ASSIGN_OR_RETURN(Tensor y, x.Reshaped(shape));
  ctx.set_output(0, std::move(y));
  return OkStatus();
}

WB_OP("ExpandDims")
    .PassesOn(PassOn::kReshaped)
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = int32")
    .Shape(ExpandDimsShape);
WB_KERNEL("ExpandDims", FunctionKernel<RunExpandDims>)
    .Cpu({{"Tdim", kIndexTypes}})
    .Gpu({{"T", TypeSet{DType::kInt32}}, {"Tdim", kIndexTypes}})
    .HostMemory({"input", "dim", "output"})
    .Cheap();
WB_KERNEL("ExpandDims", FunctionKernel<RunExpandDims>)
    .Gpu({{"T", kPlainTypesButInt32}, {"Tdim", kIndexTypes}})
    .HostMemory({"dim"})
    .Cheap();

Status BackToShape(GradContext& c) {
  c.set_dx(0, c.ReshapeLike(c.dy(0), c.x(0)));
  return OkStatus();
}
WB_GRADIENT("ExpandDims", BackToShape);

}  // namespace
}  // namespace warpbeam
