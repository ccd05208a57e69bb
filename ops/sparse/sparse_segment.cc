// SparseSegmentSum, …Mean, …SqrtN, each also …WithNumSegments: rows picked from a tensor by index,
// those of one segment joined. Segments' numbers never decrease; segments without rows are zero.
#include <algorithm>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/array/strided_copy.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/sparse/sparse_segment_rows.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/stoppable_loop.h"

namespace warpbeam {
namespace {

Status SegmentShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape segments, c.WithRank(2, 1));
  WB_RETURN_IF_ERROR(MergeExtents(indices.dim(0), segments.dim(0)).status());
  int64_t count = -1;
  if (c.num_inputs() == 4) {
    WB_RETURN_IF_ERROR(c.WithRank(3, 0).status());
    count = c.ConstantScalar(3).value_or(-1);
    if (count < -1 || (count == -1 && c.ConstantScalar(3).has_value())) {
      return InvalidArgument("'num_segments' must not be negative, but is ", count);
    }
  }
  if (x.has_rank()) x.set_dim(0, count);
  c.set_output(0, std::move(x));
  return OkStatus();
}

// How many segments there are, by 'num_segments' or by the last row.
StatusOr<int64_t> CountSegments(const KernelContext& ctx, const Dims& segments) {
  WB_ASSIGN_OR_RETURN(const int64_t used, CountSegments(segments, ctx.input(2).dtype()));
  if (ctx.num_inputs() < 4) return used;
  WB_ASSIGN_OR_RETURN(const int64_t count, ReadSegmentCount(ctx.input(3)));
  if (used > count) {
    return InvalidArgument("segment ids must be < num_segments, but one is ", used - 1, " against ",
                           count);
  }
  return count;
}

// The sum of some rows, times a weight.
template <typename T>
void JoinRows(const T* x, const int64_t* rows, int64_t count, int64_t width, double weight,
              ComputeType<T>* sum, T* out) {
  using C = ComputeType<T>;
  std::fill_n(sum, width, C(0));
  for (int64_t i = 0; i < count; ++i) {
    const T* row = x + rows[i] * width;
    for (int64_t j = 0; j < width; ++j) {
      sum[j] = host_pass::Plus(sum[j], static_cast<C>(row[j]));
    }
  }
  if (weight != 1.0) {
    for (int64_t j = 0; j < width; ++j) sum[j] = static_cast<C>(sum[j] * static_cast<C>(weight));
  }
  for (int64_t j = 0; j < width; ++j) out[j] = static_cast<T>(sum[j]);
}

template <SegmentJoin kJoin, typename T>
void JoinSegments(const KernelContext& ctx, const Tensor& x, const SegmentRows& rows, Tensor* y) {
  const int64_t width = ElementsOf(x.shape(), 1, x.rank());
  std::vector<int64_t> starts;
  const int64_t n = static_cast<int64_t>(rows.segments.size());
  for (int64_t i = 0; i < n; ++i) {
    if (i == 0 || rows.segments[i] != rows.segments[i - 1]) starts.push_back(i);
  }
  starts.push_back(n);
  const int64_t used = static_cast<int64_t>(starts.size()) - 1;
  const int64_t per_segment = used == 0 ? 0 : n / used * width;
  StoppableFor(ctx, used, per_segment, [&](int64_t begin, int64_t end) {
    std::vector<ComputeType<T>> sum(static_cast<size_t>(width));
    for (int64_t s = begin; s < end; ++s) {
      const int64_t first = starts[s], count = starts[s + 1] - first;
      JoinRows(x.data<T>(), &rows.indices[first], count, width, SegmentWeight<kJoin>(count),
               sum.data(), y->data<T>() + rows.segments[first] * width);
    }
  });
}

template <SegmentJoin kJoin>
using JoinTypes = std::conditional_t<kJoin == SegmentJoin::kSum, RealTypeList, FloatTypeList>;

template <SegmentJoin kJoin>
Status RunSegment(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 1) return InvalidArgument("'data' must have rows, but is a scalar");
  WB_ASSIGN_OR_RETURN(const SegmentRows rows, ReadSegmentRows(ctx.input(1), ctx.input(2)));
  WB_ASSIGN_OR_RETURN(const int64_t count, CountSegments(ctx, rows.segments));
  WB_RETURN_IF_ERROR(CheckRowIndices(rows.indices, x.dim(0)));
  WB_ASSIGN_OR_RETURN(const Shape shape, x.shape().WithDim(0, count));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  ZeroRange(ctx, y->dtype(), y->raw_data(), y->num_elements());
  if (y->num_elements() == 0) return OkStatus();
  return DispatchTypes(JoinTypes<kJoin>{}, x.dtype(), [&](auto tag) {
    JoinSegments<kJoin, typename decltype(tag)::type>(ctx, x, rows, y);
    return OkStatus();
  });
}

// The rows' gradients, summed by row; with 'sparse_gradient' only of rows that were picked.
Status PickedGradient(GradContext& c, const char* op, const char* sparse_op) {
  const OutputRef zero = c.Scalar<int32_t>(0);
  const OutputRef rows = c.Emit("GatherV2", {c.ShapeOf(c.x(0)), zero, zero});
  if (!c.attr_or<bool>("sparse_gradient", false)) {
    c.set_dx(0, c.Emit(op, {c.dy(0), c.x(1), c.x(2), rows}));
    return OkStatus();
  }
  const std::vector<OutputRef> slices = c.EmitAll(sparse_op, {c.dy(0), c.x(1), c.x(2), rows});
  if (slices.size() != 2) return c.status();
  c.set_dx(0, GradientValue::Slices(slices[0], slices[1], c.ShapeOf(c.x(0))));
  return OkStatus();
}
Status SumGradient(GradContext& c) {
  return PickedGradient(c, "SparseSegmentSumGrad", "SparseSegmentSumGradV2");
}
Status MeanGradient(GradContext& c) {
  return PickedGradient(c, "SparseSegmentMeanGrad", "SparseSegmentMeanGradV2");
}
Status SqrtNGradient(GradContext& c) {
  return PickedGradient(c, "SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2");
}

#define WB_SEGMENT_FLOATS "T: {bfloat16, half, float, double}"
#define WB_SEGMENT_REALS                                                                  \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, " \
  "uint64}"
#define WB_SEGMENT_INDEX_TYPES(types)                                   \
  {                                                                     \
    {"T", types}, {"Tidx", kIndexTypes}, { "Tsegmentids", kIndexTypes } \
  }

#define WB_SPARSE_SEGMENT(op, kind, types, cpu, gradient)                        \
  WB_OP(op)                                                                      \
      .Input("data: T")                                                          \
      .Input("indices: Tidx")                                                    \
      .Input("segment_ids: Tsegmentids")                                         \
      .Output("output: T")                                                       \
      .Attr(types)                                                               \
      .Attr("Tidx: {int32, int64} = int32")                                      \
      .Attr("Tsegmentids: {int32, int64} = int32")                               \
      .Attr("sparse_gradient: bool = false")                                     \
      .Shape(SegmentShape);                                                      \
  WB_KERNEL(op, FunctionKernel<RunSegment<SegmentJoin::kind>>)                   \
      .Cpu(WB_SEGMENT_INDEX_TYPES(cpu))                                          \
      .Gpu(WB_SEGMENT_INDEX_TYPES(kFloatingTypes));                              \
  WB_GRADIENT(op, gradient);                                                     \
  WB_OP(op "WithNumSegments")                                                    \
      .Input("data: T")                                                          \
      .Input("indices: Tidx")                                                    \
      .Input("segment_ids: Tsegmentids")                                         \
      .Input("num_segments: Tnumsegments")                                       \
      .Output("output: T")                                                       \
      .Attr(types)                                                               \
      .Attr("Tidx: {int32, int64} = int32")                                      \
      .Attr("Tnumsegments: {int32, int64} = int32")                              \
      .Attr("Tsegmentids: {int32, int64} = int32")                               \
      .Attr("sparse_gradient: bool = false")                                     \
      .Shape(SegmentShape);                                                      \
  WB_KERNEL(op "WithNumSegments", FunctionKernel<RunSegment<SegmentJoin::kind>>) \
      .Cpu(WB_SEGMENT_INDEX_TYPES(cpu))                                          \
      .Gpu(WB_SEGMENT_INDEX_TYPES(kFloatingTypes))                               \
      .HostMemory({"num_segments"});                                             \
  WB_GRADIENT(op "WithNumSegments", gradient)

WB_SPARSE_SEGMENT("SparseSegmentSum", kSum, WB_SEGMENT_REALS, kRealTypes, SumGradient);
WB_SPARSE_SEGMENT("SparseSegmentMean", kMean, WB_SEGMENT_FLOATS, kFloatingTypes, MeanGradient);
WB_SPARSE_SEGMENT("SparseSegmentSqrtN", kSqrtN, WB_SEGMENT_FLOATS, kFloatingTypes, SqrtNGradient);

}  // namespace
}  // namespace warpbeam
