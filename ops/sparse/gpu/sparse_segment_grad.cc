// SparseSegmentSumGrad, …MeanGrad and …SqrtNGrad on a GPU: each picked row adds its segment's
// gradient to the row that it came from. Rows and segments that are not there are left out: nobody
// can refuse them without waiting.
//
// …GradV2: the rows that were picked are marked and numbered, and the host waits for how many there
// are. Rows and segments that are not there are refused.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_flags.h"
#include "ops/launch/gpu_select.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_segment_rows.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

enum class SpreadScale { kSum, kMean, kSqrtN };

// How many rows each segment has; `sizes` begins with zeros.
template <class Segment>
struct SegmentSizesBlock {
  const Segment* segments;
  int32_t* sizes;
  int64_t rows, count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, rows, [&](int64_t i) {
      if (segments[i] >= 0 && segments[i] < count) AtomicAdd(sizes + segments[i], 1);
    });
  }
};

template <class T, class Index, class Segment>
struct SpreadSegmentsBlock {
  using C = ComputeType<T>;
  const T* dy;              // [count, width]
  const Index* indices;     // [rows]
  const Segment* segments;  // [rows]
  const int32_t* sizes;     // [count], or null for sums
  C* sums;                  // [height, width]
  int64_t count, width, rows, height;
  SpreadScale scale;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, rows * width, [&](int64_t i) {
      const int64_t row = i / width, column = i - row * width;
      const int64_t to = indices[row], segment = segments[row];
      if (to < 0 || to >= height || segment < 0 || segment >= count) return;
      AtomicAdd(sums + to * width + column,
                static_cast<C>(dy[segment * width + column]) * Weight(segment));
    });
  }

 private:
  WB_BLOCK C Weight(int64_t segment) const {
    if (scale == SpreadScale::kSum) return C(1);
    const double size = sizes[segment];
    return static_cast<C>(1.0 / (scale == SpreadScale::kMean ? size : Sqrt(size)));
  }
};

// y = x, or zero where there is no x.
template <class C, class T>
struct SegmentGradientsBlock {
  const C* x;
  T* y;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count,
                   [&](int64_t i) { y[i] = x == nullptr ? T(0) : static_cast<T>(x[i]); });
  }
};

// 1 where a row or a segment is not there.
template <class Index, class Segment>
struct MissingGradientRows {
  const Index* indices;
  const Segment* segments;
  int64_t height, count;
  WB_BLOCK int64_t Flags(int64_t i) const {
    const int64_t index = indices[i], segment = segments[i];
    return index < 0 || index >= height || segment < 0 || segment >= count ? 1 : 0;
  }
};

// marks[index] = 1 for all indices.
template <class Index>
struct MarkPickedBlock {
  const Index* indices;
  int32_t* marks;
  int64_t rows;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, rows, [&](int64_t i) { AtomicStore(marks + indices[i], 1); });
  }
};

// Of the rows that are marked: their numbers, and in the place of their marks, which.
template <class Index>
struct MarkedRows {
  const int32_t* marks;
  int64_t* positions;
  Index* numbers;
  WB_BLOCK bool Selects(int64_t i) const { return marks[i] != 0; }
  WB_BLOCK void Place(int64_t i, int64_t position) const {
    positions[i] = position;
    numbers[position] = static_cast<Index>(i);
  }
};

// places[i] = positions[indices[i]]
template <class Index>
struct PickedPlacesBlock {
  const Index* indices;
  const int64_t* positions;
  int64_t* places;
  int64_t rows;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, rows, [&](int64_t i) { places[i] = positions[indices[i]]; });
  }
};

WB_GPU_FUNCTION(FlagsBlock<MissingGradientRows<int32_t, int32_t>>);
WB_GPU_FUNCTION(FlagsBlock<MissingGradientRows<int32_t, int64_t>>);
WB_GPU_FUNCTION(FlagsBlock<MissingGradientRows<int64_t, int32_t>>);
WB_GPU_FUNCTION(FlagsBlock<MissingGradientRows<int64_t, int64_t>>);
WB_GPU_FUNCTION(MarkPickedBlock<int32_t>);
WB_GPU_FUNCTION(MarkPickedBlock<int64_t>);
WB_GPU_SELECTION(MarkedRows<int32_t>);
WB_GPU_SELECTION(MarkedRows<int64_t>);
WB_GPU_FUNCTION(PickedPlacesBlock<int32_t>);
WB_GPU_FUNCTION(PickedPlacesBlock<int64_t>);
WB_GPU_FUNCTION(SegmentSizesBlock<int32_t>);
WB_GPU_FUNCTION(SegmentSizesBlock<int64_t>);
WB_GPU_FUNCTION(SegmentGradientsBlock<int32_t, int32_t>);
WB_GPU_FUNCTION(SegmentGradientsBlock<float, Half>);
WB_GPU_FUNCTION(SegmentGradientsBlock<float, BFloat16>);
WB_GPU_FUNCTION(SegmentGradientsBlock<float, float>);
WB_GPU_FUNCTION(SegmentGradientsBlock<double, double>);
#define WB_SPREAD_SEGMENT_BLOCKS(T)                          \
  WB_GPU_FUNCTION(SpreadSegmentsBlock<T, int32_t, int32_t>); \
  WB_GPU_FUNCTION(SpreadSegmentsBlock<T, int32_t, int64_t>); \
  WB_GPU_FUNCTION(SpreadSegmentsBlock<T, int64_t, int32_t>); \
  WB_GPU_FUNCTION(SpreadSegmentsBlock<T, int64_t, int64_t>)
WB_SPREAD_SEGMENT_BLOCKS(Half);
WB_SPREAD_SEGMENT_BLOCKS(BFloat16);
WB_SPREAD_SEGMENT_BLOCKS(float);
WB_SPREAD_SEGMENT_BLOCKS(double);

#if WB_HOST_PASS
namespace {

// The memory's elements become zero.
template <class T>
Status Clear(GpuStream& stream, T* y, int64_t count) {
  return Launch(stream, ElementGrid(count), SegmentGradientsBlock<T, T>{nullptr, y, count});
}

// Adds the gradients of the segments to the rows of `y` that `indices` name.
template <class T>
Status AddSegmentGradients(KernelContext& ctx, GpuStream& stream, SpreadScale scale,
                           const Tensor& indices, ComputeType<T>* sums, const Tensor& y) {
  const Tensor &dy = ctx.input(0), &segments = ctx.input(2);
  const int64_t count = dy.dim(0), rows = indices.num_elements();
  Tensor sizes;
  if (scale != SpreadScale::kSum) {
    WB_ASSIGN_OR_RETURN(sizes, ctx.AllocateTemp(DType::kInt32, Shape({count})));
    WB_RETURN_IF_ERROR(Clear(stream, sizes.data<int32_t>(), count));
  }
  return DispatchIndex(indices.dtype(), [&](auto index_tag) {
    return DispatchIndex(segments.dtype(), [&](auto segment_tag) -> Status {
      using Segment = typename decltype(segment_tag)::type;
      SpreadSegmentsBlock<T, typename decltype(index_tag)::type, Segment> block = {};
      block.dy = dy.data<T>();
      block.indices = indices.data<typename decltype(index_tag)::type>();
      block.segments = segments.data<Segment>();
      block.sums = sums;
      block.count = count;
      block.width = y.num_elements() / y.dim(0);
      block.rows = rows;
      block.height = y.dim(0);
      block.scale = scale;
      if (scale != SpreadScale::kSum) {
        block.sizes = sizes.data<int32_t>();
        WB_RETURN_IF_ERROR(
            Launch(stream, ElementGrid(rows),
                   SegmentSizesBlock<Segment>{block.segments, sizes.data<int32_t>(), rows, count}));
      }
      return Launch(stream, ElementGrid(rows * block.width), block);
    });
  });
}

// y = the sums of the gradients
Status SpreadSegmentGradients(KernelContext& ctx, GpuStream& stream, SpreadScale scale,
                              const Tensor& indices, Tensor* y) {
  const int64_t size = y->num_elements();
  if (size == 0) return OkStatus();
  return DispatchTypes(FloatTypeList{}, y->dtype(), [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    using C = ComputeType<T>;
    Tensor sums = *y;
    if constexpr (!std::is_same_v<C, T>) {
      WB_ASSIGN_OR_RETURN(sums, ctx.AllocateTemp(DTypeOf<C>::value, y->shape()));
    }
    WB_RETURN_IF_ERROR(Clear(stream, sums.data<C>(), size));
    if (indices.num_elements() > 0) {
      WB_RETURN_IF_ERROR(AddSegmentGradients<T>(ctx, stream, scale, indices, sums.data<C>(), *y));
    }
    if constexpr (std::is_same_v<C, T>) return OkStatus();
    return Launch(stream, ElementGrid(size),
                  SegmentGradientsBlock<C, T>{sums.data<C>(), y->data<T>(), size});
  });
}

// The number of the data's rows, where the other inputs fit each other.
StatusOr<int64_t> ReadGradientHeight(KernelContext& ctx) {
  if (ctx.input(0).rank() < 1) return InvalidArgument("'grad' must have rows, but is a scalar");
  WB_RETURN_IF_ERROR(CheckSegmentRows(ctx.input(1), ctx.input(2)));
  return ReadRowCount(ctx.input(3));
}

template <SpreadScale kScale>
class SparseSegmentGradOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseSegmentGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<SpreadSegmentsBlock<float, int32_t, int32_t>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const int64_t height, ReadGradientHeight(ctx));
    WB_ASSIGN_OR_RETURN(const Shape shape, ctx.input(0).shape().WithDim(0, height));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return SpreadSegmentGradients(ctx, stream, kScale, ctx.input(1), y);
  }
};

template <SpreadScale kScale>
class PickedSegmentGradOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<PickedSegmentGradOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MarkPickedBlock<int32_t>>(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const int64_t height, ReadGradientHeight(ctx));
    WB_RETURN_IF_ERROR(CheckRows(ctx, stream, height));
    Tensor places;  // of the rows among those that were picked
    WB_RETURN_IF_ERROR(DispatchIndex(ctx.input(1).dtype(), [&](auto tag) -> Status {
      WB_ASSIGN_OR_RETURN(places, Number<typename decltype(tag)::type>(ctx, stream, height));
      return OkStatus();
    }));
    WB_ASSIGN_OR_RETURN(const Shape shape, ctx.input(0).shape().WithDim(0, ctx.output(1).dim(0)));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    return SpreadSegmentGradients(ctx, stream, kScale, places, y);
  }

 private:
  static Status CheckRows(KernelContext& ctx, ReadableGpuStream& stream, int64_t height) {
    const Tensor &indices = ctx.input(1), &segments = ctx.input(2);
    const int64_t count = ctx.input(0).dim(0);
    return DispatchIndex(indices.dtype(), [&](auto index_tag) {
      return DispatchIndex(segments.dtype(), [&](auto segment_tag) -> Status {
        using Index = typename decltype(index_tag)::type;
        using Segment = typename decltype(segment_tag)::type;
        const MissingGradientRows<Index, Segment> test = {indices.data<Index>(),
                                                          segments.data<Segment>(), height, count};
        WB_ASSIGN_OR_RETURN(const int64_t missing,
                            ReadFlags(ctx, stream, test, indices.num_elements()));
        if (missing == 0) return OkStatus();
        WB_ASSIGN_OR_RETURN(const Tensor from, stream.Read(indices));
        WB_ASSIGN_OR_RETURN(const Tensor to, stream.Read(segments));
        WB_ASSIGN_OR_RETURN(const SegmentRows rows, ReadSegmentRows(from, to));
        return CheckGradientRows(rows, count, height);
      });
    });
  }

  // Output 1, and for each row its place in it.
  template <class Index>
  static StatusOr<Tensor> Number(KernelContext& ctx, ReadableGpuStream& stream, int64_t height) {
    const Tensor& indices = ctx.input(1);
    const int64_t rows = indices.num_elements();
    WB_ASSIGN_OR_RETURN(Tensor marks, ctx.AllocateTemp(DType::kInt32, Shape({height})));
    WB_ASSIGN_OR_RETURN(Tensor positions, ctx.AllocateTemp(DType::kInt64, Shape({height})));
    WB_ASSIGN_OR_RETURN(Tensor places, ctx.AllocateTemp(DType::kInt64, Shape({rows})));
    auto* const marked = marks.data<int32_t>();
    WB_RETURN_IF_ERROR(Clear(stream, marked, height));
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(rows),
                              MarkPickedBlock<Index>{indices.data<Index>(), marked, rows}));
    MarkedRows<Index> picked = {marked, positions.data<int64_t>(), nullptr};
    WB_ASSIGN_OR_RETURN(const GpuSelection selection,
                        GpuSelection::Count(ctx, stream, picked, height));
    int64_t count = 0;
    WB_RETURN_IF_ERROR(stream.Read(selection.total(), 1, &count));
    WB_ASSIGN_OR_RETURN(Tensor * numbers, ctx.Allocate(1, Shape({count})));
    picked.numbers = numbers->data<Index>();
    WB_RETURN_IF_ERROR(selection.Place(stream, picked));
    WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(rows),
                              PickedPlacesBlock<Index>{indices.data<Index>(), picked.positions,
                                                       places.data<int64_t>(), rows}));
    return places;
  }
};

}  // namespace

WB_GPU_KERNEL("SparseSegmentSumGradV2", PickedSegmentGradOnGpu<SpreadScale::kSum>);
WB_GPU_KERNEL("SparseSegmentMeanGradV2", PickedSegmentGradOnGpu<SpreadScale::kMean>);
WB_GPU_KERNEL("SparseSegmentSqrtNGradV2", PickedSegmentGradOnGpu<SpreadScale::kSqrtN>);
WB_GPU_KERNEL("SparseSegmentSumGrad", SparseSegmentGradOnGpu<SpreadScale::kSum>);
WB_GPU_KERNEL("SparseSegmentMeanGrad", SparseSegmentGradOnGpu<SpreadScale::kMean>);
WB_GPU_KERNEL("SparseSegmentSqrtNGrad", SparseSegmentGradOnGpu<SpreadScale::kSqrtN>);
#endif

}  // namespace warpbeam::WB_PASS
