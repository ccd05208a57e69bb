// SparseSlice: the elements within a box of a sparse tensor. SparseSliceGrad: what flows back.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_box.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SliceShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape start, c.WithRank(3, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape size, c.WithRank(4, 1));
  WB_ASSIGN_OR_RETURN(int64_t rank, MergeExtents(indices.dim(1), start.dim(0)));
  WB_ASSIGN_OR_RETURN(rank, MergeExtents(rank, size.dim(0)));
  SetSparseOutput(c, 0, -1, rank);
  return OkStatus();
}

Status RunSlice(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));
  WB_ASSIGN_OR_RETURN(const SparseBox box, SparseBox::Read(x, ctx.input(3), ctx.input(4)));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < x.count; ++i) {
    bool inside = true;
    for (int d = 0; d < x.rank; ++d) {
      inside = inside && x.row(i)[d] >= box.start[d] && x.row(i)[d] < box.end[d];
    }
    if (inside) kept.push_back(i);
  }
  const int64_t count = static_cast<int64_t>(kept.size());
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({count, x.rank})));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({count})));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({x.rank})));
  WB_RETURN_IF_ERROR(WriteIndices(box.dims, shape));
  int64_t* to = indices->data<int64_t>();
  for (const int64_t i : kept) {
    for (int d = 0; d < x.rank; ++d) *to++ = x.row(i)[d] - box.start[d];
  }
  return TakeValues(*x.values, kept, values);
}

Status SliceGradShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 2));
  WB_RETURN_IF_ERROR(c.WithRank(2, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(3, 2).status());
  c.set_output(0, PartialShape({indices.dim(0)}));
  return OkStatus();
}

// The rows of the slice come in the order in which they stand in the tensor.
Status RunSliceGrad(KernelContext& ctx) {
  const Tensor& dy = ctx.input(0);
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadRows(ctx.input(1), "input_indices"));
  WB_ASSIGN_OR_RETURN(const Dims start, ReadBoxVector(ctx.input(2), x.rank, "input_start"));
  WB_ASSIGN_OR_RETURN(const SparseView y, ReadRows(ctx.input(3), "output_indices"));
  WB_RETURN_IF_ERROR(CheckSliceGradient(x, y, dy));
  const auto is_row = [&](int64_t i, int64_t j) {
    for (int d = 0; d < x.rank; ++d) {
      int64_t at;
      if (__builtin_add_overflow(y.row(j)[d], start[d], &at) || at != x.row(i)[d]) return false;
    }
    return true;
  };
  WB_ASSIGN_OR_RETURN(Tensor * dx, ctx.Allocate(0, Shape({x.count})));
  return DispatchTypes(NumberTypeList{}, dy.dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    int64_t j = 0;
    for (int64_t i = 0; i < x.count; ++i) {
      const bool kept = j < y.count && is_row(i, j);
      dx->data<T>()[i] = kept ? dy.data<T>()[j++] : T(0);
    }
    if (j < y.count) {
      return InvalidArgument("row ", j, " of 'output_indices', ", RowToString(y.row(j), y.rank),
                             ", is not in 'input_indices', or not in their order");
    }
    return OkStatus();
  });
}

Status SliceGradient(GradContext& c) {
  c.set_dx(1, c.Emit("SparseSliceGrad", {c.dy(1), c.x(0), c.x(3), c.y(0)}));
  return OkStatus();
}

WB_OP("SparseSlice")
    .Input("indices: int64")
    .Input("values: T")
    .Input("shape: int64")
    .Input("start: int64")
    .Input("size: int64")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("output_shape: int64")
    .Attr("T: type")
    .Shape(SliceShape);
WB_KERNEL("SparseSlice", FunctionKernel<RunSlice>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"shape", "start", "size", "output_shape"});
WB_GRADIENT("SparseSlice", SliceGradient);

WB_OP("SparseSliceGrad")
    .Input("backprop_val_grad: T")
    .Input("input_indices: int64")
    .Input("input_start: int64")
    .Input("output_indices: int64")
    .Output("val_grad: T")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
        "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
    .Shape(SliceGradShape);
WB_KERNEL("SparseSliceGrad", FunctionKernel<RunSliceGrad>)
    .Cpu({{"T", kNumberTypes}})
    .Gpu({{"T", kNumberTypes}});

}  // namespace
}  // namespace warpbeam
