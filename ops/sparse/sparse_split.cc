// SparseSplit: a sparse tensor cut into parts along one dimension; where the extent is no multiple
// of the number of parts, the first ones are larger by one.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/sparse/sparse_split_plan.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SplitShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 1));
  const int parts = c.num_outputs() / 3;
  for (int p = 0; p < parts; ++p) {
    c.set_output(p, PartialShape({-1, indices.dim(1)}));
    c.set_output(parts + p, PartialShape({-1}));
    c.set_output(2 * parts + p, PartialShape({indices.dim(1)}));
  }
  return OkStatus();
}

Status RunSplit(KernelContext& ctx) {
  const int parts = ctx.num_outputs() / 3;
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 1));
  WB_ASSIGN_OR_RETURN(const SparseSplitPlan plan, SparseSplitPlan::Make(x, ctx.input(0), parts));
  WB_RETURN_IF_ERROR(CheckBounds(x));
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(parts));
  for (int64_t i = 0; i < x.count; ++i) {
    rows[static_cast<size_t>(plan.cuts.PartOf(x.row(i)[plan.axis]))].push_back(i);
  }
  for (int p = 0; p < parts; ++p) {
    const std::vector<int64_t>& mine = rows[static_cast<size_t>(p)];
    const int64_t count = static_cast<int64_t>(mine.size());
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(p, Shape({count, x.rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(parts + p, Shape({count})));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2 * parts + p, Shape({x.rank})));
    int64_t* to = indices->data<int64_t>();
    TakeRows(x, mine, to);
    for (int64_t i = 0; i < count; ++i) to[i * x.rank + plan.axis] -= plan.cuts.Begin(p);
    WB_RETURN_IF_ERROR(WriteIndices(plan.DimsOf(x, p), shape));
    WB_RETURN_IF_ERROR(TakeValues(*x.values, mine, values));
  }
  return OkStatus();
}

WB_OP("SparseSplit")
    .Input("split_dim: int64")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Output("output_indices: num_split * int64")
    .Output("output_values: num_split * T")
    .Output("output_shape: num_split * int64")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Shape(SplitShape);
WB_KERNEL("SparseSplit", FunctionKernel<RunSplit>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"split_dim", "shape", "output_shape"});

}  // namespace
}  // namespace warpbeam
