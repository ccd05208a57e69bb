// SparseSegmentSum, …Mean and …SqrtN on a GPU, with and without a given number of segments: a
// thread for each element of the result, which finds its segment's rows by bisection.
//
// Where the number is given, rows that are not there are left out: nobody can refuse them without
// waiting. Where it is not, the host has to wait for the last segment's number, and refuses them.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_flags.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <limits>
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/sparse/sparse_segment_rows.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

enum class SegmentScale { kSum, kMean, kSqrtN };

template <class T, class Index, class Segment>
struct SparseSegmentsBlock {
  using C = ComputeType<T>;
  const T* x;               // [height, width]
  const Index* indices;     // [rows]
  const Segment* segments;  // [rows], in order
  T* y;                     // [count, width]
  int64_t height, width, rows, count;
  SegmentScale scale;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count * width, [&](int64_t i) {
      const int64_t segment = i / width;
      y[i] = T(Joined(FirstOf(segment), FirstOf(segment + 1), i - segment * width));
    });
  }

 private:
  // The first row of a segment or of those after it.
  WB_BLOCK int64_t FirstOf(int64_t segment) const {
    int64_t low = 0, high = rows;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (segments[middle] < segment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  WB_BLOCK C Joined(int64_t begin, int64_t end, int64_t column) const {
    C sum = 0;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t index = indices[row];
      if (index >= 0 && index < height) sum += static_cast<C>(x[index * width + column]);
    }
    if (scale == SegmentScale::kSum || end <= begin) return sum;
    const double size = static_cast<double>(end - begin);
    return sum * static_cast<C>(1.0 / (scale == SegmentScale::kMean ? size : Sqrt(size)));
  }
};

// Negative where a row is not there, or a segment's number is negative or less than the one before
// it; else the last segment's number.
template <class Index, class Segment>
struct LastOfSparseSegments {
  const Index* indices;
  const Segment* segments;
  int64_t rows, height;
  WB_BLOCK int64_t Flags(int64_t i) const {
    const int64_t segment = segments[i], index = indices[i];
    if (segment < 0 || (i > 0 && segment < segments[i - 1])) return -1;
    if (index < 0 || index >= height) return -1;
    return i == rows - 1 ? segment : 0;
  }
};

WB_GPU_FUNCTION(FlagsBlock<LastOfSparseSegments<int32_t, int32_t>>);
WB_GPU_FUNCTION(FlagsBlock<LastOfSparseSegments<int32_t, int64_t>>);
WB_GPU_FUNCTION(FlagsBlock<LastOfSparseSegments<int64_t, int32_t>>);
WB_GPU_FUNCTION(FlagsBlock<LastOfSparseSegments<int64_t, int64_t>>);
#define WB_SPARSE_SEGMENT_BLOCKS(T)                          \
  WB_GPU_FUNCTION(SparseSegmentsBlock<T, int32_t, int32_t>); \
  WB_GPU_FUNCTION(SparseSegmentsBlock<T, int32_t, int64_t>); \
  WB_GPU_FUNCTION(SparseSegmentsBlock<T, int64_t, int32_t>); \
  WB_GPU_FUNCTION(SparseSegmentsBlock<T, int64_t, int64_t>)
WB_SPARSE_SEGMENT_BLOCKS(Half);
WB_SPARSE_SEGMENT_BLOCKS(BFloat16);
WB_SPARSE_SEGMENT_BLOCKS(float);
WB_SPARSE_SEGMENT_BLOCKS(double);

#if WB_HOST_PASS
namespace {

// Into `count` segments.
Status JoinSparseSegments(KernelContext& ctx, GpuStream& stream, SegmentScale scale,
                          int64_t count) {
  const Tensor &x = ctx.input(0), &indices = ctx.input(1), &segments = ctx.input(2);
  WB_ASSIGN_OR_RETURN(const Shape shape, x.shape().WithDim(0, count));
  WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
  if (y->num_elements() == 0) return OkStatus();
  const GpuGrid grid = ElementGrid(y->num_elements());
  return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
    return DispatchIndex(indices.dtype(), [&](auto index_tag) {
      return DispatchIndex(segments.dtype(), [&](auto segment_tag) {
        using T = typename decltype(tag)::type;
        using Index = typename decltype(index_tag)::type;
        using Segment = typename decltype(segment_tag)::type;
        SparseSegmentsBlock<T, Index, Segment> block = {};
        block.x = x.data<T>();
        block.indices = indices.data<Index>();
        block.segments = segments.data<Segment>();
        block.y = y->data<T>();
        block.height = x.dim(0);
        block.width = y->num_elements() / count;
        block.rows = indices.dim(0);
        block.count = count;
        block.scale = scale;
        return Launch(stream, grid, block);
      });
    });
  });
}

Status CheckSparseSegments(KernelContext& ctx) {
  if (ctx.input(0).rank() < 1) return InvalidArgument("'data' must have rows, but is a scalar");
  return CheckSegmentRows(ctx.input(1), ctx.input(2));
}

template <SegmentScale kScale>
class GivenSparseSegmentsOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<GivenSparseSegmentsOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<SparseSegmentsBlock<float, int32_t, int32_t>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckSparseSegments(ctx));
    WB_ASSIGN_OR_RETURN(const int64_t count, ReadSegmentCount(ctx.input(3)));
    return JoinSparseSegments(ctx, stream, kScale, count);
  }
};

template <SegmentScale kScale>
class SparseSegmentsOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseSegmentsOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<FlagsBlock<LastOfSparseSegments<int32_t, int32_t>>>();
  }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_RETURN_IF_ERROR(CheckSparseSegments(ctx));
    WB_ASSIGN_OR_RETURN(const int64_t last, LastSegment(ctx, stream));
    const int64_t largest = ctx.input(2).dtype() == DType::kInt32
                                ? std::numeric_limits<int32_t>::max()
                                : std::numeric_limits<int64_t>::max();
    const bool has_rows = ctx.input(1).dim(0) > 0;
    if (last < 0 || last == largest) return Refuse(ctx, stream);
    return JoinSparseSegments(ctx, stream, kScale, has_rows ? last + 1 : 0);
  }

 private:
  static StatusOr<int64_t> LastSegment(KernelContext& ctx, ReadableGpuStream& stream) {
    const Tensor &indices = ctx.input(1), &segments = ctx.input(2);
    int64_t last = 0;
    WB_RETURN_IF_ERROR(DispatchIndex(indices.dtype(), [&](auto index_tag) {
      return DispatchIndex(segments.dtype(), [&](auto segment_tag) -> Status {
        using Index = typename decltype(index_tag)::type;
        using Segment = typename decltype(segment_tag)::type;
        const int64_t rows = indices.dim(0);
        const LastOfSparseSegments<Index, Segment> test = {
            indices.data<Index>(), segments.data<Segment>(), rows, ctx.input(0).dim(0)};
        WB_ASSIGN_OR_RETURN(last, ReadFlags(ctx, stream, test, rows));
        return OkStatus();
      });
    }));
    return last;
  }
  // As the CPU does.
  static Status Refuse(KernelContext& ctx, ReadableGpuStream& stream) {
    WB_ASSIGN_OR_RETURN(const Tensor indices, stream.Read(ctx.input(1)));
    WB_ASSIGN_OR_RETURN(const Tensor segments, stream.Read(ctx.input(2)));
    WB_ASSIGN_OR_RETURN(const SegmentRows rows, ReadSegmentRows(indices, segments));
    WB_RETURN_IF_ERROR(CountSegments(rows.segments, segments.dtype()).status());
    return CheckRowIndices(rows.indices, ctx.input(0).dim(0));
  }
};

}  // namespace

WB_GPU_KERNEL("SparseSegmentSum", SparseSegmentsOnGpu<SegmentScale::kSum>);
WB_GPU_KERNEL("SparseSegmentMean", SparseSegmentsOnGpu<SegmentScale::kMean>);
WB_GPU_KERNEL("SparseSegmentSqrtN", SparseSegmentsOnGpu<SegmentScale::kSqrtN>);
WB_GPU_KERNEL("SparseSegmentSumWithNumSegments", GivenSparseSegmentsOnGpu<SegmentScale::kSum>);
WB_GPU_KERNEL("SparseSegmentMeanWithNumSegments", GivenSparseSegmentsOnGpu<SegmentScale::kMean>);
WB_GPU_KERNEL("SparseSegmentSqrtNWithNumSegments", GivenSparseSegmentsOnGpu<SegmentScale::kSqrtN>);
#endif

}  // namespace warpbeam::WB_PASS
