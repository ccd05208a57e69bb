// SparseFillEmptyRows, RaggedFillEmptyRows: each row of a sparse tensor, or of a ragged one given
// by the row of each value, that has no element gets one at its start.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/sparse/fill_rows.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status FillShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape indices, SparseInputShape(c, 0));
  WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  WB_ASSIGN_OR_RETURN(const PartialShape dense, c.ShapeFromInput(2));
  const int64_t rows = dense.has_rank() && dense.rank() > 0 ? dense.dim(0) : -1;
  c.set_output(0, PartialShape({-1, indices.dim(1)}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({rows}));
  c.set_output(3, PartialShape({indices.dim(0)}));
  return OkStatus();
}

// Where each row's elements begin in the output: an exclusive sum over rows, of which none is
// empty. Also marks the rows that were.
int64_t RowStarts(const SparseView& x, int64_t* starts, bool* was_empty) {
  const int64_t rows = x.dims[0];
  std::fill_n(starts, rows, int64_t{0});
  for (int64_t i = 0; i < x.count; ++i) ++starts[x.row(i)[0]];
  int64_t total = 0;
  for (int64_t r = 0; r < rows; ++r) {
    was_empty[r] = starts[r] == 0;
    const int64_t count = std::max<int64_t>(starts[r], 1);
    starts[r] = total;
    total += count;
  }
  return total;
}

Status RaggedFillShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape row_ids, c.WithRank(0, 1));
  WB_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  c.set_output(0, PartialShape({-1}));
  c.set_output(1, PartialShape({-1}));
  c.set_output(2, PartialShape({-1}));
  c.set_output(3, std::move(row_ids));
  return OkStatus();
}

Status FillRows(KernelContext& ctx, const SparseView& x, bool is_ragged) {
  const Tensor& fill = ctx.input(3);
  WB_RETURN_IF_ERROR(CheckFill(x, fill));
  WB_RETURN_IF_ERROR(CheckFilledRows(x));
  const int64_t rows = x.dims[0];
  WB_ASSIGN_OR_RETURN(Tensor starts, Tensor::Allocate(DType::kInt64, Shape({rows})));
  WB_ASSIGN_OR_RETURN(Tensor * was_empty, ctx.Allocate(2, Shape({rows})));
  WB_ASSIGN_OR_RETURN(Tensor * moved, ctx.Allocate(3, Shape({x.count})));
  int64_t* next = starts.data<int64_t>();
  const int64_t total = RowStarts(x, next, was_empty->data<bool>());
  WB_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({total, x.rank}));
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, is_ragged ? Shape({total}) : shape));
  WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, Shape({total})));
  int64_t* to = indices->data<int64_t>();
  for (int64_t r = 0; r < rows; ++r) {
    if (!was_empty->data<bool>()[r]) continue;
    std::fill_n(to + next[r] * x.rank, x.rank, int64_t{0});
    to[next[r] * x.rank] = r;
  }
  return DispatchElements(values->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    T* out = values->data<T>();
    for (int64_t r = 0; r < rows; ++r) {
      if (was_empty->data<bool>()[r]) out[next[r]] = fill.scalar<T>();
    }
    for (int64_t i = 0; i < x.count; ++i) {
      const int64_t at = next[x.row(i)[0]]++;
      std::copy_n(x.row(i), x.rank, to + at * x.rank);
      out[at] = x.values->data<T>()[i];
      moved->data<int64_t>()[i] = at;
    }
    return OkStatus();
  });
}

Status RunFill(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 0));
  return FillRows(ctx, x, /*is_ragged=*/false);
}

Status RunRaggedFill(KernelContext& ctx) {
  WB_ASSIGN_OR_RETURN(const SparseView x, ReadRaggedRows(ctx));
  return FillRows(ctx, x, /*is_ragged=*/true);
}

template <bool is_ragged>
Status FillGradient(GradContext& c) {
  const std::vector<OutputRef> dx = c.EmitAll(
      is_ragged ? "RaggedFillEmptyRowsGrad" : "SparseFillEmptyRowsGrad", {c.y(3), c.dy(1)});
  if (dx.size() != 2) return c.status();
  c.set_dx(1, dx[0]);
  c.set_dx(3, dx[1]);
  return OkStatus();
}

WB_OP("SparseFillEmptyRows")
    .Input("indices: int64")
    .Input("values: T")
    .Input("dense_shape: int64")
    .Input("default_value: T")
    .Output("output_indices: int64")
    .Output("output_values: T")
    .Output("empty_row_indicator: bool")
    .Output("reverse_index_map: int64")
    .Attr("T: type")
    .Shape(FillShape);
WB_KERNEL("SparseFillEmptyRows", FunctionKernel<RunFill>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"dense_shape"});
WB_GRADIENT("SparseFillEmptyRows", FillGradient<false>);

WB_OP("RaggedFillEmptyRows")
    .Input("value_rowids: int64")
    .Input("values: T")
    .Input("nrows: int64")
    .Input("default_value: T")
    .Output("output_value_rowids: int64")
    .Output("output_values: T")
    .Output("empty_row_indicator: bool")
    .Output("reverse_index_map: int64")
    .Attr("T: type")
    .Shape(RaggedFillShape);
WB_KERNEL("RaggedFillEmptyRows", FunctionKernel<RunRaggedFill>)
    .Cpu({{"T", kPlainTypes | kObjectTypes}})
    .Gpu({{"T", kPlainTypes}})
    .HostMemory({"nrows"});
WB_GRADIENT("RaggedFillEmptyRows", FillGradient<true>);

}  // namespace
}  // namespace warpbeam
