// SparseReorder: the same sparse tensor with its indices in row-major order.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ReorderShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape indices, SparseInputShape(c, 0));
  c.set_output(1, PartialShape({indices.dim(0)}));
  c.set_output(0, std::move(indices));
  return OkStatus();
}

Status RunReorder(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));
  const std::vector<int64_t> order = RowOrder(x);
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, ctx.input(0).shape()));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, ctx.input(1).shape()));
  TakeRows(x, order, indices->data<int64_t>());
  return TakeValues(*x.values, order, values);
}

// Numbering the values and reordering the numbers says where each value went.
Status ReorderGradient(GradContext& c) {
  const OutputRef numbers =
      c.Emit("Range", {c.Scalar<int32_t>(0), c.SizeOf(c.x(1)), c.Scalar<int32_t>(1)});
  const std::vector<OutputRef> moved = c.EmitAll("SparseReorder", {c.x(0), numbers, c.x(2)});
  if (moved.size() != 2) return c.status();
  const OutputRef places = c.Emit("InvertPermutation", {moved[1]});
  c.set_dx(1, c.Emit("GatherV2", {c.dy(1), places, c.Scalar<int32_t>(0)}));
  return OkStatus();
}

WB_OP("SparseReorder")
    .Input("input_indices: int64")
    .Input("input_values: T")
    .Input("input_shape: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Attr("T: type")
    .Shape(ReorderShape);
WB_KERNEL("SparseReorder", FunctionKernel<RunReorder>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kRealTypes | TypeSet{DType::kBool}}});
WB_GRADIENT("SparseReorder", ReorderGradient);

}  // namespace
}  // namespace warpbeam
