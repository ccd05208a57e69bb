// RaggedGather: rows of a ragged tensor, picked by index.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/array/function_kernel.h"
#include "ops/array/kernel_types.h"
#include "ops/array/strided_copy.h"
#include "ops/ragged/row_splits.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status GatherShape(ShapeContext& c) {
  const int levels = c.num_inputs() - 2, out_levels = c.num_outputs() - 1;
  WB_ASSIGN_OR_RETURN(PartialShape values, c.WithRankAtLeast(levels, 1));
  for (int k = 0; k < levels; ++k) WB_RETURN_IF_ERROR(c.WithRank(k, 1).status());
  const PartialShape& indices = c.input(levels + 1);
  if (indices.has_rank() && levels + indices.rank() - 1 != out_levels) {
    return InvalidArgument("indices of rank ", indices.rank(), " into rows of ", levels,
                           " ragged dimensions give ", levels + indices.rank() - 1,
                           ", but OUTPUT_RAGGED_RANK is ", out_levels);
  }
  for (int k = 0; k < out_levels; ++k) c.set_output(k, PartialShape({-1}));
  if (values.has_rank()) values.set_dim(0, -1);
  c.set_output(out_levels, std::move(values));
  return OkStatus();
}

// A run of values, or of rows of one level.
struct Run {
  int64_t begin, end;
};

// The splits that the shape of the indices gives: all rows of one dimension have the same length.
Status WriteSplitsOfIndices(KernelContext& ctx, const Shape& indices) {
  int64_t rows = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    rows *= indices.dim(d);
    WB_RETURN_IF_ERROR(WriteEvenSplits(ctx, d, rows, indices.dim(d + 1)));
  }
  return OkStatus();
}

Status CopyRuns(KernelContext& ctx, const Tensor& values, const std::vector<Run>& runs) {
  int64_t total = 0;
  for (const Run& r : runs) total += r.end - r.begin;
  WB_ASSIGN_OR_RETURN(const Shape shape, values.shape().WithDim(0, total));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(ctx.num_outputs() - 1, shape));
  const int64_t width = ElementsOf(values.shape(), 1, values.rank());
  int64_t at = 0;
  for (const Run& r : runs) {
    CopyElements(y->dtype(), Advance(y->raw_data(), y->dtype(), at * width),
                 Advance(values.raw_data(), y->dtype(), r.begin * width),
                 (r.end - r.begin) * width);
    at += r.end - r.begin;
  }
  return OkStatus();
}

Status RunGather(KernelContext& ctx) {
  const int levels = ctx.num_inputs() - 2;
  const Tensor &values = ctx.input(levels), &indices = ctx.input(levels + 1);
  if (values.rank() < 1) return InvalidArgument("'params_dense_values' must not be a scalar");
  if (levels + indices.rank() - 1 != ctx.num_outputs() - 1) {
    return InvalidArgument("indices of rank ", indices.rank(), " into rows of ", levels,
                           " ragged dimensions give ", levels + indices.rank() - 1,
                           ", but OUTPUT_RAGGED_RANK is ", ctx.num_outputs() - 1);
  }
  WB_ASSIGN_OR_RETURN(const std::vector<RowSplits> nested,
                      ReadNestedSplits(ctx, 0, levels, values.dim(0), /*exact=*/false));
  WB_ASSIGN_OR_RETURN(const Dims rows, ReadIndices(indices, "indices"));
  std::vector<Run> runs;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= NumRows(nested[0])) {
      return InvalidArgument("indices[", i, "] = ", rows[i], " is not in [0, ", NumRows(nested[0]),
                             ")");
    }
    runs.push_back({rows[i], rows[i] + 1});
  }
  WB_RETURN_IF_ERROR(WriteSplitsOfIndices(ctx, indices.shape()));
  int output = std::max(indices.rank() - 1, 0);
  for (int k = 0; k < levels; ++k) {
    // A scalar index picks one row, whose own dimension is then the outermost.
    const bool is_written = k > 0 || indices.rank() > 0;
    RowSplits out = {0};
    for (Run& r : runs) {
      for (int64_t i = r.begin; is_written && i < r.end; ++i) {
        out.push_back(out.back() + nested[k][i + 1] - nested[k][i]);
      }
      r = {nested[k][r.begin], nested[k][r.end]};
    }
    if (is_written) WB_RETURN_IF_ERROR(WriteRowSplits(ctx, output++, out));
  }
  return CopyRuns(ctx, values, runs);
}

// The values of all picked rows are consecutive in the gradient; where each came from is a range.
Status GatherGradient(GradContext& c) {
  const int levels = c.num_inputs() - 2;
  const OutputRef zero = c.Scalar<int32_t>(0), values = c.x(levels);
  OutputRef splits = c.x(0);
  for (int k = 1; k < levels; ++k) splits = c.Emit("GatherV2", {c.x(k), splits, zero});
  const OutputRef rows = c.Reshape(c.x(levels + 1), c.Ints({-1}));
  const OutputRef next = c.Add(rows, c.ScalarLike(rows, 1));
  const OutputRef begins = c.Emit("GatherV2", {splits, rows, zero});
  const OutputRef ends = c.Emit("GatherV2", {splits, next, zero});
  AttrMap attrs;
  attrs.Set("Tsplits", c.type(splits));
  const std::vector<OutputRef> ranges =
      c.EmitAll("RaggedRange", {begins, ends, c.ScalarLike(splits, 1)}, attrs);
  if (ranges.size() != 2) return c.status();
  c.set_dx(levels, GradientValue::Slices(c.dy(c.num_outputs() - 1), ranges[1], c.ShapeOf(values)));
  return OkStatus();
}

WB_OP("RaggedGather")
    .Input("params_nested_splits: PARAMS_RAGGED_RANK * Tsplits")
    .Input("params_dense_values: Tvalues")
    .Input("indices: Tindices")
    .Output("output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits")
    .Output("output_dense_values: Tvalues")
    .Attr("Tvalues: type")
    .Attr("Tindices: {int32, int64}")
    .Attr("Tsplits: {int32, int64} = int64")
    .Attr("PARAMS_RAGGED_RANK: int >= 1")
    .Attr("OUTPUT_RAGGED_RANK: int >= 0")
    .Shape(GatherShape);
WB_KERNEL("RaggedGather", FunctionKernel<RunGather>)
    .Cpu({{"Tvalues", kPlainTypes | kQuantizedTypes | TypeSet{DType::kString}},
          {"Tindices", kIndexTypes},
          {"Tsplits", kIndexTypes}});
WB_GRADIENT("RaggedGather", GatherGradient);

}  // namespace
}  // namespace warpbeam
