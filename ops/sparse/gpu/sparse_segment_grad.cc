// SparseSegmentSumGrad, …MeanGrad and …SqrtNGrad on a GPU: each picked row adds its segment's
// gradient to the row that it came from. Rows and segments that are not there are left out: nobody
// can refuse them without waiting.
#include "ops/launch/gpu_function.h"
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
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      for (int64_t i = block.index() * block.threads() + thread; i < rows; i += step) {
        if (segments[i] >= 0 && segments[i] < count) AtomicAdd(sizes + segments[i], 1);
      }
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
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      for (int64_t i = block.index() * block.threads() + thread; i < rows * width; i += step) {
        const int64_t row = i / width, column = i - row * width;
        const int64_t to = indices[row], segment = segments[row];
        if (to < 0 || to >= height || segment < 0 || segment >= count) continue;
        AtomicAdd(sums + to * width + column,
                  static_cast<C>(dy[segment * width + column]) * Weight(segment));
      }
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
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      for (int64_t i = block.index() * block.threads() + thread; i < count; i += step) {
        y[i] = x == nullptr ? T(0) : static_cast<T>(x[i]);
      }
    });
  }
};

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

GpuGrid SpreadGridFor(int64_t items) {
  GpuGrid grid;
  grid.blocks = GpuBlocksFor((items + grid.threads - 1) / grid.threads);
  return grid;
}

// The memory's elements become zero.
template <class T>
Status Clear(GpuStream& stream, T* y, int64_t count) {
  return Launch(stream, SpreadGridFor(count), SegmentGradientsBlock<T, T>{nullptr, y, count});
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
    const Tensor& dy = ctx.input(0);
    if (dy.rank() < 1) return InvalidArgument("'grad' must have rows, but is a scalar");
    WB_RETURN_IF_ERROR(CheckSegmentRows(ctx.input(1), ctx.input(2)));
    WB_ASSIGN_OR_RETURN(const int64_t height, ReadRowCount(ctx.input(3)));
    WB_ASSIGN_OR_RETURN(const Shape shape, dy.shape().WithDim(0, height));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    if (y->num_elements() == 0) return OkStatus();
    return DispatchTypes(FloatTypeList{}, dy.dtype(), [&](auto tag) {
      return Spread<typename decltype(tag)::type>(ctx, stream, y);
    });
  }

 private:
  template <class T>
  static Status Spread(KernelContext& ctx, GpuStream& stream, Tensor* y) {
    using C = ComputeType<T>;
    const int64_t size = y->num_elements(), rows = ctx.input(1).num_elements();
    Tensor sums = *y;
    if constexpr (!std::is_same_v<C, T>) {
      WB_ASSIGN_OR_RETURN(sums, ctx.AllocateTemp(DTypeOf<C>::value, y->shape()));
    }
    WB_RETURN_IF_ERROR(Clear(stream, sums.data<C>(), size));
    if (rows > 0) WB_RETURN_IF_ERROR(Add<T>(ctx, stream, sums.data<C>(), *y));
    if constexpr (std::is_same_v<C, T>) return OkStatus();
    return Launch(stream, SpreadGridFor(size),
                  SegmentGradientsBlock<C, T>{sums.data<C>(), y->data<T>(), size});
  }

  template <class T>
  static Status Add(KernelContext& ctx, GpuStream& stream, ComputeType<T>* sums, const Tensor& y) {
    const Tensor &dy = ctx.input(0), &indices = ctx.input(1), &segments = ctx.input(2);
    const int64_t count = dy.dim(0), rows = indices.num_elements();
    Tensor sizes;
    if (kScale != SpreadScale::kSum) {
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
        block.scale = kScale;
        if (kScale != SpreadScale::kSum) {
          block.sizes = sizes.data<int32_t>();
          WB_RETURN_IF_ERROR(Launch(
              stream, SpreadGridFor(rows),
              SegmentSizesBlock<Segment>{block.segments, sizes.data<int32_t>(), rows, count}));
        }
        return Launch(stream, SpreadGridFor(rows * block.width), block);
      });
    });
  }
};

}  // namespace

WB_GPU_KERNEL("SparseSegmentSumGrad", SparseSegmentGradOnGpu<SpreadScale::kSum>);
WB_GPU_KERNEL("SparseSegmentMeanGrad", SparseSegmentGradOnGpu<SpreadScale::kMean>);
WB_GPU_KERNEL("SparseSegmentSqrtNGrad", SparseSegmentGradOnGpu<SpreadScale::kSqrtN>);
#endif

}  // namespace warpbeam::WB_PASS
