// SegmentSum, SegmentProd, SegmentMax, SegmentMin, SegmentMean: rows of a tensor joined by their
// segment's number, which never decreases. UnsortedSegment…: by numbers in any order; rows with a
// negative number are dropped.

#include "ops/math/segment.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/launch/dispatch.h"
#include "ops/launch/math.h"
#include "ops/math/segment_join.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Segments are as many as the last one's number says: none may be beyond it, or before its
// forerunner.
Status CheckSegmentOrder(const std::vector<int64_t>& segments) {
  const int64_t last = segments.empty() ? 0 : segments.back();
  if (last < 0) return InvalidArgument("segment ids must be >= 0, but the last is ", last);
  if (last == std::numeric_limits<int64_t>::max()) {
    return InvalidArgument("segment id ", last, " is too large");
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 && segments[i] < segments[i - 1]) {
      return InvalidArgument("segment ids are not increasing: number ", i, " is ", segments[i],
                             " after ", segments[i - 1]);
    }
    const bool ends = i + 1 == segments.size() || segments[i + 1] > segments[i];
    if (ends && (segments[i] < 0 || segments[i] > last)) {
      return InvalidArgument("Segment id ", segments[i], " out of range [0, ", last + 1,
                             "), possibly because 'segment_ids' input is not sorted: it is number ",
                             i);
    }
  }
  return OkStatus();
}

StatusOr<std::vector<int64_t>> ReadSegments(const Tensor& ids) {
  std::vector<int64_t> segments(ids.num_elements());
  WB_RETURN_IF_ERROR((DispatchTypes<int16_t, int32_t, int64_t>(ids.dtype(), [&](auto tag) {
    const auto* from = ids.data<typename decltype(tag)::type>();
    std::copy_n(from, segments.size(), segments.begin());
    return OkStatus();
  })));
  return segments;
}

}  // namespace

StatusOr<Shape> UnsortedSegmentsShape(const KernelContext& ctx) {
  const Tensor &x = ctx.input(0), &ids = ctx.input(1), &number = ctx.input(2);
  if (number.rank() != 0) {
    return InvalidArgument("num_segments should be a scalar, not of shape ",
                           number.shape().ToString());
  }
  const int64_t count =
      number.dtype() == DType::kInt32 ? number.scalar<int32_t>() : number.scalar<int64_t>();
  if (count < 0) return InvalidArgument("'num_segments' must not be negative, but is ", count);
  bool starts = ids.rank() <= x.rank();
  for (int i = 0; starts && i < ids.rank(); ++i) starts = ids.dim(i) == x.dim(i);
  if (!starts) {
    return InvalidArgument("the shape of 'data', ", x.shape().ToString(),
                           ", does not start with that of 'segment_ids', ", ids.shape().ToString());
  }
  std::vector<int64_t> dims = {count};
  for (int i = ids.rank(); i < x.rank(); ++i) dims.push_back(x.dim(i));
  return Shape::Make(dims);
}

Status CheckSortedSegmentShapes(const Tensor& x, const Tensor& ids) {
  if (ids.rank() == 1 && x.rank() >= 1 && ids.dim(0) == x.dim(0)) return OkStatus();
  return InvalidArgument(
      "segment_ids should be a vector and segment_ids should be the same size as dimension 0 "
      "of data, but they have shapes ",
      ids.shape().ToString(), " and ", x.shape().ToString());
}

StatusOr<std::vector<int64_t>> ReadSortedSegments(const Tensor& ids) {
  WB_ASSIGN_OR_RETURN(std::vector<int64_t> segments, ReadSegments(ids));
  WB_RETURN_IF_ERROR(CheckSegmentOrder(segments));
  return segments;
}

}  // namespace warpbeam

namespace warpbeam::host_pass {
namespace {

// What the first row of a sorted segment is joined to: with extrema there is always a row, and
// infinity is the result of rows that hold nothing else.
template <Join kJoin, class T>
T FirstOfSorted() {
  constexpr bool kExtremum = kJoin == Join::kMax || kJoin == Join::kMin;
  if constexpr (kExtremum && !std::is_integral_v<T>) {
    const float infinity = std::numeric_limits<float>::infinity();
    return static_cast<T>(kJoin == Join::kMax ? -infinity : infinity);
  } else {
    return Neutral<kJoin, T>();
  }
}

template <Join kJoin, class T>
void JoinRows(const T* x, const std::vector<int64_t>& segments, int64_t width, T* out) {
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i] < 0) continue;
    const T* row = x + i * width;
    T* to = out + segments[i] * width;
#pragma GCC ivdep
    for (int64_t j = 0; j < width; ++j) to[j] = Joined<kJoin>(to[j], row[j]);
  }
}

template <class T>
void DivideRows(const std::vector<int64_t>& segments, int64_t count, int64_t width, T* out) {
  std::vector<int64_t> sizes(count, 0);
  for (const int64_t s : segments) ++sizes[s];
  for (int64_t s = 0; s < count; ++s) {
    if (sizes[s] < 2) continue;
    const ComputeType<T> size = static_cast<ComputeType<T>>(sizes[s]);
    for (int64_t j = 0; j < width; ++j) {
      T& y = out[s * width + j];
      y = static_cast<T>(static_cast<ComputeType<T>>(y) / size);
    }
  }
}

// "[1,0]", or nothing in a scalar.
std::string PositionOf(const Shape& shape, size_t i) {
  std::string text;
  int64_t rest = static_cast<int64_t>(i);
  for (int d = shape.rank() - 1; d >= 0; --d) {
    text = absl::StrCat(rest % shape.dim(d), text.empty() ? "" : ",", text);
    rest /= shape.dim(d);
  }
  return text.empty() ? text : absl::StrCat("[", text, "]");
}

template <Join kJoin>
using JoinTypes =
    std::conditional_t<kJoin == Join::kMax || kJoin == Join::kMin, RealTypeList, NumberTypeList>;

// `empty` says what segments without rows hold: the neutral element, or 0 for sorted extrema.
template <Join kJoin>
Status JoinSegments(const Tensor& x, const std::vector<int64_t>& segments, int64_t count,
                    bool zero_if_empty, Tensor* out) {
  if (out->num_elements() == 0) return OkStatus();
  const int64_t width = out->num_elements() / count;
  return DispatchTypes(JoinTypes<kJoin>{}, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = out->data<T>();
    std::fill_n(y, out->num_elements(),
                zero_if_empty ? FirstOfSorted<kJoin, T>() : Neutral<kJoin, T>());
    JoinRows<kJoin>(x.data<T>(), segments, width, y);
    if constexpr (kJoin == Join::kMean) DivideRows(segments, count, width, y);
    if (zero_if_empty) {
      std::vector<bool> used(count, false);
      for (const int64_t s : segments) used[s] = true;
      for (int64_t s = 0; s < count; ++s) {
        if (!used[s]) std::fill_n(y + s * width, width, T(0));
      }
    }
    return OkStatus();
  });
}

template <Join kJoin>
class SortedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SortedKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &ids = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckSortedSegmentShapes(x, ids));
    WB_ASSIGN_OR_RETURN(const std::vector<int64_t> segments, ReadSortedSegments(ids));
    const int64_t count = segments.empty() ? 0 : segments.back() + 1;
    WB_ASSIGN_OR_RETURN(const Shape shape, x.shape().WithDim(0, count));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    constexpr bool kExtremum = kJoin == Join::kMax || kJoin == Join::kMin;
    return JoinSegments<kJoin>(x, segments, count, kExtremum, out);
  }
};

template <Join kJoin>
class UnsortedKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<UnsortedKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &x = ctx.input(0), &ids = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const Shape shape, UnsortedSegmentsShape(ctx));
    const int64_t count = shape.dim(0);
    WB_ASSIGN_OR_RETURN(const std::vector<int64_t> segments, ReadSegments(ids));
    for (size_t i = 0; i < segments.size(); ++i) {
      if (segments[i] >= count) {
        return InvalidArgument("segment_ids", PositionOf(ids.shape(), i), " = ", segments[i],
                               " is out of range [0, ", count, ")");
      }
    }
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    return JoinSegments<kJoin>(x, segments, count, /*zero_if_empty=*/false, out);
  }
};

Status SortedShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, 1));
  WB_ASSIGN_OR_RETURN(const PartialShape ids, c.WithRank(1, 1));
  if (x.has_rank()) {
    if (!PartialShape({x.dim(0)}).IsCompatibleWith(PartialShape({ids.dim(0)}))) {
      return InvalidArgument("segment_ids should be the same size as dimension 0 of data: ",
                             ids.ToString(), " against ", x.ToString());
    }
    x.set_dim(0, -1);
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

Status UnsortedShape(ShapeContext& c) {
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  const PartialShape &x = c.input(0), &ids = c.input(1);
  if (!ids.has_rank() || !x.has_rank()) return OkStatus();
  if (ids.rank() > x.rank()) {
    return InvalidArgument("the shape of 'data', ", x.ToString(),
                           ", does not start with that of 'segment_ids', ", ids.ToString());
  }
  for (int i = 0; i < ids.rank(); ++i) {
    WB_RETURN_IF_ERROR(
        PartialShape::Merge(PartialShape({x.dim(i)}), PartialShape({ids.dim(i)})).status());
  }
  const std::optional<int64_t> count = c.ConstantScalar(2);
  if (count.has_value() && *count < 0) {
    return InvalidArgument("'num_segments' must not be negative, but is ", *count);
  }
  std::vector<int64_t> dims = {count.value_or(-1)};
  dims.insert(dims.end(), x.dims().begin() + ids.rank(), x.dims().end());
  c.set_output(0, PartialShape(dims));
  return OkStatus();
}

}  // namespace

#define WB_SEGMENT_NUMBERS                                                                  \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, " \
  "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
#define WB_SEGMENT_REALS                                                                  \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, " \
  "uint64}"

#define WB_SORTED_SEGMENTS(op, kind, types, cpu)    \
  WB_OP(op)                                         \
      .Input("data: T")                             \
      .Input("segment_ids: Tindices")               \
      .Output("output: T")                          \
      .Attr(types)                                  \
      .Attr("Tindices: {int32, int64}")             \
      .Shape(SortedShape);                          \
  WB_KERNEL(op, SortedKernel<Join::kind>)           \
      .Cpu({{"T", cpu}, {"Tindices", kIndexTypes}}) \
      .Gpu({{"T", kFloatingTypes}, {"Tindices", kIndexTypes}})
#define WB_UNSORTED_SEGMENTS(op, kind, types, indices, cpu, gpu) \
  WB_OP(op)                                                      \
      .Input("data: T")                                          \
      .Input("segment_ids: Tindices")                            \
      .Input("num_segments: Tnumsegments")                       \
      .Output("output: T")                                       \
      .Attr(types)                                               \
      .Attr("Tindices: " indices)                                \
      .Attr("Tnumsegments: {int32, int64} = int32")              \
      .Shape(UnsortedShape);                                     \
  WB_KERNEL(op, UnsortedKernel<Join::kind>)                      \
      .Cpu({{"T", cpu}})                                         \
      .Gpu({{"T", gpu}, {"Tindices", kIndexTypes}})              \
      .HostMemory({"num_segments"})

constexpr TypeSet kFloatInt = kFloatingTypes | TypeSet{DType::kInt32};

WB_SORTED_SEGMENTS("SegmentSum", kSum, WB_SEGMENT_NUMBERS, kNumberTypes);
WB_SORTED_SEGMENTS("SegmentMean", kMean, WB_SEGMENT_NUMBERS, kNumberTypes);
WB_SORTED_SEGMENTS("SegmentProd", kProd, WB_SEGMENT_NUMBERS, kNumberTypes);
WB_SORTED_SEGMENTS("SegmentMax", kMax, WB_SEGMENT_REALS, kRealTypes);
WB_SORTED_SEGMENTS("SegmentMin", kMin, WB_SEGMENT_REALS, kRealTypes);
WB_UNSORTED_SEGMENTS("UnsortedSegmentSum", kSum, WB_SEGMENT_NUMBERS, "{int16, int32, int64}",
                     kNumberTypes, kFloatInt | kComplexTypes);
WB_UNSORTED_SEGMENTS("UnsortedSegmentProd", kProd, WB_SEGMENT_NUMBERS, "{int32, int64}",
                     kNumberTypes, kFloatInt);
WB_UNSORTED_SEGMENTS("UnsortedSegmentMax", kMax, WB_SEGMENT_REALS, "{int32, int64}", kRealTypes,
                     kFloatInt);
WB_UNSORTED_SEGMENTS("UnsortedSegmentMin", kMin, WB_SEGMENT_REALS, "{int32, int64}", kRealTypes,
                     kFloatInt);

// Sorted segments whose number is given: TensorFlow knows these ops, but only its compiler for
// accelerators computes them.
#define WB_SORTED_SEGMENTS_V2(op, types)            \
  WB_OP(op)                                         \
      .Input("data: T")                             \
      .Input("segment_ids: Tindices")               \
      .Input("num_segments: Tnumsegments")          \
      .Output("output: T")                          \
      .Attr(types)                                  \
      .Attr("Tindices: {int32, int64}")             \
      .Attr("Tnumsegments: {int32, int64} = int32") \
      .Shape(UnsortedShape)
WB_SORTED_SEGMENTS_V2("SegmentSumV2", WB_SEGMENT_NUMBERS);
WB_SORTED_SEGMENTS_V2("SegmentProdV2", WB_SEGMENT_NUMBERS);
WB_SORTED_SEGMENTS_V2("SegmentMaxV2", WB_SEGMENT_REALS);
WB_SORTED_SEGMENTS_V2("SegmentMinV2", WB_SEGMENT_REALS);

}  // namespace warpbeam::host_pass
