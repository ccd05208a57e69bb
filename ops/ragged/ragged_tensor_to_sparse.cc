// RaggedTensorToSparse: every element of a ragged tensor with its index.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "ops/ragged/row_splits.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status SparseShape(ShapeContext& c) {
  const int levels = c.num_inputs() - 1;
  WB_ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(levels, 1));
  for (int k = 0; k < levels; ++k) WB_RETURN_IF_ERROR(c.WithRank(k, 1).status());
  const int64_t rank = values.has_rank() ? levels + values.rank() : -1;
  const int64_t count = values.num_elements();
  c.set_output(0, PartialShape({count, rank}));
  c.set_output(1, PartialShape({count}));
  c.set_output(2, PartialShape({rank}));
  return OkStatus();
}

// The indices of the values, one row each: what the level before has, and the place in the row.
std::vector<int64_t> IndexRows(const std::vector<RowSplits>& nested) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < NumRows(nested[0]); ++i) rows.push_back(i);
  int64_t width = 1;
  for (const RowSplits& splits : nested) {
    std::vector<int64_t> next;
    next.reserve(static_cast<size_t>(splits.back() * (width + 1)));
    for (int64_t i = 0; i < NumRows(splits); ++i) {
      for (int64_t j = splits[i]; j < splits[i + 1]; ++j) {
        next.insert(next.end(), rows.begin() + i * width, rows.begin() + (i + 1) * width);
        next.push_back(j - splits[i]);
      }
    }
    rows = std::move(next);
    ++width;
  }
  return rows;
}

Status RunToSparse(KernelContext& ctx) {
  const int levels = ctx.num_inputs() - 1;
  const Tensor& values = ctx.input(levels);
  if (values.rank() < 1) return InvalidArgument("'rt_dense_values' must not be a scalar");
  WB_ASSIGN_OR_RETURN(const std::vector<RowSplits> nested,
                      ReadNestedSplits(ctx, 0, levels, values.dim(0), /*exact=*/true));
  const int64_t rank = levels + values.rank(), count = values.num_elements();
  std::vector<int64_t> dims = {NumRows(nested[0])};
  for (const RowSplits& splits : nested) {
    int64_t longest = 0;
    for (int64_t i = 0; i < NumRows(splits); ++i) {
      longest = std::max(longest, splits[i + 1] - splits[i]);
    }
    dims.push_back(longest);
  }
  dims.insert(dims.end(), values.shape().dims().begin() + 1, values.shape().dims().end());
  WB_ASSIGN_OR_RETURN(const Shape index_shape, Shape::Make({count, rank}));
  WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, index_shape));
  WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({rank})));
  WB_RETURN_IF_ERROR(WriteIndices(dims, shape));
  const std::vector<int64_t> rows = IndexRows(nested);
  const int64_t inner = ElementsOf(values.shape(), 1, values.rank());
  int64_t* to = indices->data<int64_t>();
  for (int64_t i = 0; i < count; ++i, to += rank) {
    std::copy_n(rows.begin() + i / inner * (levels + 1), levels + 1, to);
    int64_t rest = i % inner;
    for (int64_t d = rank; --d > levels; rest /= dims[d]) to[d] = rest % dims[d];
  }
  WB_ASSIGN_OR_RETURN(Tensor flat, values.Reshaped(Shape({count})));
  ctx.set_output(1, std::move(flat));
  return OkStatus();
}

Status ToSparseGradient(GradContext& c) {
  const int values = c.num_inputs() - 1;
  c.set_dx(values, c.ReshapeLike(c.dy(1), c.x(values)));
  return OkStatus();
}

WB_OP("RaggedTensorToSparse")
    .Input("rt_nested_splits: RAGGED_RANK * Tsplits")
    .Input("rt_dense_values: T")
    .Output("sparse_indices: int64")
    .Output("sparse_values: T")
    .Output("sparse_dense_shape: int64")
    .Attr("RAGGED_RANK: int >= 1")
    .Attr("T: type")
    .Attr("Tsplits: {int32, int64} = int64")
    .Shape(SparseShape);
WB_KERNEL("RaggedTensorToSparse", FunctionKernel<RunToSparse>).Cpu({{"Tsplits", kIndexTypes}});
WB_GRADIENT("RaggedTensorToSparse", ToSparseGradient);

}  // namespace
}  // namespace warpbeam
