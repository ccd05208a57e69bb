// SegmentSum, SegmentProd, SegmentMax, SegmentMin and SegmentMean on a GPU. The host is told the
// last segment's number, by which it knows how many there are, and whether the numbers are in
// order. A segment's rows are then found by bisection.
//
// A thread joins the rows of an element of the result, in their order; where there are few elements
// and many rows, a block does. 16-bit floats are joined in float.
#include <limits>

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_flags.h"
#include "ops/math/segment_join.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/math/segment.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Negative where a number is, or where one is less than the one before it; else the last number.
template <class Index>
struct LastOfSorted {
  const Index* ids;
  int64_t count;
  WB_BLOCK int64_t Flags(int64_t i) const {
    const int64_t id = ids[i];
    if (id < 0 || (i > 0 && id < ids[i - 1])) return -1;
    return i == count - 1 ? id : 0;
  }
};

template <class T, class Index>
struct SortedSegments {
  using C = ComputeType<T>;

  const T* x;        // [rows, width]
  const Index* ids;  // [rows], in order
  T* y;              // [count, width]
  int64_t rows, width, count;
  Join join;

  // The first row of a segment or of those after it.
  WB_BLOCK int64_t FirstOf(int64_t segment) const {
    int64_t low = 0, high = rows;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (ids[middle] < segment) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  WB_BLOCK C Start() const {
    constexpr C kInfinity = std::numeric_limits<C>::infinity();
    if (join == Join::kMax) return -kInfinity;
    if (join == Join::kMin) return kInfinity;
    return C(join == Join::kProd ? 1 : 0);
  }
  WB_BLOCK C With(C a, C b) const {
    if (join == Join::kMax) return a > b ? a : b;
    if (join == Join::kMin) return a < b ? a : b;
    return join == Join::kProd ? a * b : a + b;
  }
  // Every step-th row of [begin, end).
  WB_BLOCK C JoinRows(int64_t begin, int64_t end, int64_t step, int64_t column) const {
    C joined = Start();
    for (int64_t row = begin; row < end; row += step) {
      joined = With(joined, static_cast<C>(x[row * width + column]));
    }
    return joined;
  }
  WB_BLOCK void Store(int64_t i, C joined, int64_t size) const {
    if (size == 0) joined = C(join == Join::kProd ? 1 : 0);
    if (join == Join::kMean && size > 1) joined /= static_cast<C>(size);
    y[i] = static_cast<T>(joined);
  }
};

template <class T, class Index>
struct SegmentsByThreadBlock {
  SortedSegments<T, Index> segments;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t width = segments.width, size = segments.count * width;
    ForEachElement(block, size, [&](int64_t i) {
      const int64_t segment = i / width;
      const int64_t begin = segments.FirstOf(segment), end = segments.FirstOf(segment + 1);
      segments.Store(i, segments.JoinRows(begin, end, 1, i - segment * width), end - begin);
    });
  }
};

template <class T, class Index>
struct SegmentsByBlockBlock {
  SortedSegments<T, Index> segments;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int64_t width = segments.width, size = segments.count * width;
    for (int64_t i = block.index(); i < size; i += block.count()) {
      const int64_t segment = i / width;
      const int64_t begin = segments.FirstOf(segment), end = segments.FirstOf(segment + 1);
      const auto joined = block.Reduce(
          [&](int thread) {
            return segments.JoinRows(begin + thread, end, block.threads(), i - segment * width);
          },
          [&](auto a, auto b) { return segments.With(a, b); });
      block.ForEach([&](int thread) {
        if (thread == 0) segments.Store(i, joined, end - begin);
      });
    }
  }
};

WB_GPU_FUNCTION(FlagsBlock<LastOfSorted<int32_t>>);
WB_GPU_FUNCTION(FlagsBlock<LastOfSorted<int64_t>>);
#define WB_SORTED_SEGMENT_BLOCKS(T)                   \
  WB_GPU_FUNCTION(SegmentsByThreadBlock<T, int32_t>); \
  WB_GPU_FUNCTION(SegmentsByThreadBlock<T, int64_t>); \
  WB_GPU_FUNCTION(SegmentsByBlockBlock<T, int32_t>);  \
  WB_GPU_FUNCTION(SegmentsByBlockBlock<T, int64_t>)
WB_SORTED_SEGMENT_BLOCKS(Half);
WB_SORTED_SEGMENT_BLOCKS(BFloat16);
WB_SORTED_SEGMENT_BLOCKS(float);
WB_SORTED_SEGMENT_BLOCKS(double);

#if WB_HOST_PASS
namespace {

template <Join kJoin>
class SortedSegmentsOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SortedSegmentsOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<SegmentsByThreadBlock<float, int32_t>>();
  }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor &x = ctx.input(0), &ids = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckSortedSegmentShapes(x, ids));
    return DispatchIndex(ids.dtype(), [&](auto index_tag) -> Status {
      using Index = typename decltype(index_tag)::type;
      int64_t count = 0;
      if (const int64_t rows = ids.dim(0); rows > 0) {
        WB_ASSIGN_OR_RETURN(
            const int64_t last,
            ReadFlags(ctx, stream, LastOfSorted<Index>{ids.data<Index>(), rows}, rows));
        if (last < 0 || last == std::numeric_limits<int64_t>::max()) {
          WB_ASSIGN_OR_RETURN(const Tensor refused, stream.Read(ids));
          return ReadSortedSegments(refused).status();
        }
        count = last + 1;
      }
      WB_ASSIGN_OR_RETURN(const Shape shape, x.shape().WithDim(0, count));
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
      if (y->num_elements() == 0) return OkStatus();
      return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) {
        return JoinAll<typename decltype(tag)::type, Index>(stream, x, ids, y);
      });
    });
  }

 private:
  template <class T, class Index>
  static Status JoinAll(GpuStream& stream, const Tensor& x, const Tensor& ids, Tensor* y) {
    const int64_t rows = ids.dim(0), count = y->dim(0), size = y->num_elements();
    const SortedSegments<T, Index> segments = {
        x.data<T>(), ids.data<Index>(), y->data<T>(), rows, size / count, count, kJoin};
    constexpr int64_t kFew = 1 << 14, kMany = 64;
    if (size < kFew && rows / count >= kMany) {
      GpuGrid grid;
      grid.blocks = GpuBlocksFor(size);
      return Launch(stream, grid, SegmentsByBlockBlock<T, Index>{segments});
    }
    return Launch(stream, ElementGrid(size), SegmentsByThreadBlock<T, Index>{segments});
  }
};

}  // namespace

WB_GPU_KERNEL("SegmentSum", SortedSegmentsOnGpu<Join::kSum>);
WB_GPU_KERNEL("SegmentProd", SortedSegmentsOnGpu<Join::kProd>);
WB_GPU_KERNEL("SegmentMax", SortedSegmentsOnGpu<Join::kMax>);
WB_GPU_KERNEL("SegmentMin", SortedSegmentsOnGpu<Join::kMin>);
WB_GPU_KERNEL("SegmentMean", SortedSegmentsOnGpu<Join::kMean>);
#endif

}  // namespace warpbeam::WB_PASS
