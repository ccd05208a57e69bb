// SparseSegmentSumGrad, …MeanGrad, …SqrtNGrad: each row of the data gets the gradients of the
// segments that it went into. …GradV2: only rows that went into one, with their numbers.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_segment_rows.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status GradShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape dy, c.WithRankAtLeast(0, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape segments, c.WithRank(2, 1));
  WB_RETURN_IF_ERROR(MergeExtents(indices.dim(0), segments.dim(0)).status());
  WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
  const std::optional<int64_t> rows = c.ConstantScalar(3);
  if (rows.has_value() && *rows < 0) {
    return InvalidArgument("the number of rows must not be negative, but is ", *rows);
  }
  const bool only_picked = c.num_outputs() == 2;
  if (dy.has_rank()) dy.set_dim(0, only_picked ? -1 : rows.value_or(-1));
  c.set_output(0, std::move(dy));
  if (only_picked) c.set_output(1, PartialShape({-1}));
  return OkStatus();
}

// y[places[i]] += dy[segments[i]] * weight of the segment
template <SegmentJoin kJoin, typename T>
Status Spread(const Tensor& dy, const Dims& places, const Dims& segments, Tensor* y) {
  using C = ComputeType<T>;
  if (y->num_elements() == 0) return OkStatus();  // `dy` may have any number of empty rows
  const int64_t width = ElementsOf(dy.shape(), 1, dy.rank());
  std::vector<int64_t> sizes(static_cast<size_t>(dy.dim(0)), 0);
  for (const int64_t s : segments) ++sizes[s];
  Tensor sums = *y;
  if (!std::is_same_v<C, T>) {
    WB_ASSIGN_OR_RETURN(sums, Tensor::Allocate(DTypeOf<C>::value, y->shape()));
  }
  C* sum = sums.data<C>();
  std::fill_n(sum, sums.num_elements(), C(0));
  for (size_t i = 0; i < places.size(); ++i) {
    const C weight = static_cast<C>(SegmentWeight<kJoin>(sizes[segments[i]]));
    const T* from = dy.data<T>() + segments[i] * width;
    C* to = sum + places[i] * width;
    for (int64_t j = 0; j < width; ++j) to[j] += static_cast<C>(from[j]) * weight;
  }
  if constexpr (!std::is_same_v<C, T>) {
    for (int64_t j = 0; j < y->num_elements(); ++j) y->data<T>()[j] = static_cast<T>(sum[j]);
  }
  return OkStatus();
}

template <SegmentJoin kJoin>
Status RunGrad(KernelContext& ctx) {
  const Tensor& dy = ctx.input(0);
  if (dy.rank() < 1) return InvalidArgument("'grad' must have rows, but is a scalar");
  WB_ASSIGN_OR_RETURN(SegmentRows rows, ReadSegmentRows(ctx.input(1), ctx.input(2)));
  WB_ASSIGN_OR_RETURN(int64_t height, ReadRowCount(ctx.input(3)));
  WB_RETURN_IF_ERROR(CheckGradientRows(rows, dy.dim(0), height));
  if (ctx.num_outputs() == 2) {
    Dims picked = rows.indices;
    std::sort(picked.begin(), picked.end());
    picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
    height = static_cast<int64_t>(picked.size());
    for (int64_t& i : rows.indices) {
      i = std::lower_bound(picked.begin(), picked.end(), i) - picked.begin();
    }
    WB_ASSIGN_OR_RETURN(Tensor * numbers, ctx.Allocate(1, Shape({height})));
    WB_RETURN_IF_ERROR(WriteIndices(picked, numbers));
  }
  WB_ASSIGN_OR_RETURN(const Shape shape, dy.shape().WithDim(0, height));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  return DispatchTypes(FloatTypeList{}, dy.dtype(), [&](auto tag) {
    return Spread<kJoin, typename decltype(tag)::type>(dy, rows.indices, rows.segments, y);
  });
}

#define WB_SEGMENT_GRAD_TYPES                                                    \
  {                                                                              \
    {"T", kFloatingTypes}, {"Tidx", kIndexTypes}, { "Tsegmentids", kIndexTypes } \
  }

#define WB_SPARSE_SEGMENT_GRAD(op, kind)                         \
  WB_OP(op)                                                      \
      .Input("grad: T")                                          \
      .Input("indices: Tidx")                                    \
      .Input("segment_ids: Tsegmentids")                         \
      .Input("output_dim0: int32")                               \
      .Output("output: T")                                       \
      .Attr("T: {bfloat16, half, float, double}")                \
      .Attr("Tidx: {int32, int64} = int32")                      \
      .Attr("Tsegmentids: {int32, int64} = int32")               \
      .Shape(GradShape);                                         \
  WB_KERNEL(op, FunctionKernel<RunGrad<SegmentJoin::kind>>)      \
      .Cpu(WB_SEGMENT_GRAD_TYPES)                                \
      .Gpu(WB_SEGMENT_GRAD_TYPES)                                \
      .HostMemory({"output_dim0"});                              \
  WB_OP(op "V2")                                                 \
      .Input("grad: T")                                          \
      .Input("indices: Tidx")                                    \
      .Input("segment_ids: Tsegmentids")                         \
      .Input("dense_output_dim0: int32")                         \
      .Output("output: T")                                       \
      .Output("sorted_unique_indices: Tidx")                     \
      .Attr("T: {bfloat16, half, float, double}")                \
      .Attr("Tidx: {int32, int64} = int32")                      \
      .Attr("Tsegmentids: {int32, int64} = int32")               \
      .Shape(GradShape);                                         \
  WB_KERNEL(op "V2", FunctionKernel<RunGrad<SegmentJoin::kind>>) \
      .Cpu(WB_SEGMENT_GRAD_TYPES)                                \
      .Gpu(WB_SEGMENT_GRAD_TYPES)                                \
      .HostMemory({"dense_output_dim0"})

WB_SPARSE_SEGMENT_GRAD("SparseSegmentSumGrad", kSum);
WB_SPARSE_SEGMENT_GRAD("SparseSegmentMeanGrad", kMean);
WB_SPARSE_SEGMENT_GRAD("SparseSegmentSqrtNGrad", kSqrtN);

}  // namespace
}  // namespace warpbeam
