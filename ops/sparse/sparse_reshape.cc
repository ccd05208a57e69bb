// SparseReshape: the same elements, counted row by row, under another dense shape.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/sparse/sparse_reshape_plan.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status ReshapeShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(0, 2));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(2, 1));
  c.set_output(0, PartialShape({indices.dim(0), shape.dim(0)}));
  c.set_output(1, PartialShape({shape.dim(0)}));
  return OkStatus();
}

Status RunReshape(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseReshapePlan plan, SparseReshapePlan::Read(ctx));
  const int from_rank = plan.from.rank(), to_rank = static_cast<int>(plan.to.size());
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(1, Shape({to_rank})));
  WB_RETURN_IF_ERROR(WriteIndices(plan.to, shape));
  if (plan.IsIdentity()) {
    ctx.set_output(0, ctx.input(0));
    return OkStatus();
  }
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({plan.count, to_rank})));
  const int64_t* const from = ctx.input(0).data<int64_t>();
  auto* const to = indices->data<int64_t>();
  ctx.ParallelFor(plan.count, 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      MoveSparseRow(from + i * from_rank, plan.from_strides.data(), from_rank,
                    plan.to_strides.data(), to_rank, to + i * to_rank);
    }
  });
  return OkStatus();
}

WB_OP("SparseReshape")
    .Input("input_indices: int64")
    .Input("input_shape: int64")
    .Input("new_shape: int64")
    .Output("output_indices: int64")
    .Output("output_shape: int64")
    .Shape(ReshapeShape);
WB_KERNEL("SparseReshape", FunctionKernel<RunReshape>)
    .Cpu()
    .Gpu()
    .HostMemory({"input_shape", "new_shape", "output_shape"});

}  // namespace
}  // namespace warpbeam
