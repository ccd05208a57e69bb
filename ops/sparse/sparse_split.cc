// SparseSplit: a sparse tensor cut into parts along one dimension; where the extent is no multiple
// of the number of parts, the first ones are larger by one.
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
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
  const Tensor& split_dim = ctx.input(0);
  if (split_dim.rank() != 0) {
    return InvalidArgument("'split_dim' must be a scalar, but has shape ",
                           split_dim.shape().ToString());
  }
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 1));
  WB_ASSIGN_OR_RETURN(const int axis, ResolveAxis(split_dim.scalar<int64_t>(), x.rank));
  WB_RETURN_IF_ERROR(DenseShape(x).status());
  WB_RETURN_IF_ERROR(CheckBounds(x));
  const int64_t extent = x.dims[axis];
  if (parts > extent) {
    return InvalidArgument("'num_split' is ", parts, ", more than the extent of dimension ", axis,
                           ", which is ", extent);
  }
  const int64_t size = extent / parts, larger = extent % parts;
  const auto begin_of = [&](int64_t p) { return p * size + std::min(p, larger); };
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(parts));
  for (int64_t i = 0; i < x.count; ++i) {
    const int64_t at = x.row(i)[axis];
    const int64_t cut = larger * (size + 1);
    rows[at < cut ? at / (size + 1) : larger + (at - cut) / size].push_back(i);
  }
  for (int p = 0; p < parts; ++p) {
    const std::vector<int64_t>& mine = rows[static_cast<size_t>(p)];
    const int64_t count = static_cast<int64_t>(mine.size());
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(p, Shape({count, x.rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(parts + p, Shape({count})));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2 * parts + p, Shape({x.rank})));
    int64_t* to = indices->data<int64_t>();
    TakeRows(x, mine, to);
    for (int64_t i = 0; i < count; ++i) to[i * x.rank + axis] -= begin_of(p);
    std::vector<int64_t> dims = x.dims;
    dims[axis] = begin_of(p + 1) - begin_of(p);
    WB_RETURN_IF_ERROR(WriteIndices(dims, shape));
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
