// UnsortedSegmentSum, …Prod, …Max and …Min on a GPU. Rows whose segment's number is negative or too
// large are left out, as TensorFlow's kernels for GPUs do: nobody can refuse them without waiting.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/math/gpu/atomic_join.h"
#include "ops/math/segment_join.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "ops/math/segment.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Joins each element of x[rows, width] to that of its segment. Threads go along rows; where many
// rows belong to one segment they take turns, in no order.
template <Join kJoin, class T, class Index>
struct JoinSegmentsBlock {
  const T* x;
  const Index* segments;  // [rows]
  ComputeType<T>* y;      // [count, width]
  int64_t rows, width, count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      const int64_t first = block.index() * block.threads() + thread;
      const int64_t row_step = step / width, column_step = step - row_step * width;
      int64_t row = first / width, column = first - row * width;
      while (row < rows) {
        const int64_t segment = segments[row];
        if (segment >= 0 && segment < count) {
          AtomicJoin<kJoin>(y + segment * width + column,
                            static_cast<ComputeType<T>>(x[row * width + column]));
        }
        row += row_step;
        column += column_step;
        if (column >= width) {
          column -= width;
          ++row;
        }
      }
    });
  }
};

template <class T>
struct FillWithBlock {
  T value;
  T* y;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { y[i] = value; });
  }
};

// From float to the type of the result.
template <class T>
struct RoundSegmentsBlock {
  const float* x;
  T* y;
  int64_t count;
  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) { y[i] = static_cast<T>(x[i]); });
  }
};

WB_GPU_FUNCTION(FillWithBlock<float>);
WB_GPU_FUNCTION(FillWithBlock<double>);
WB_GPU_FUNCTION(FillWithBlock<int32_t>);
WB_GPU_FUNCTION(RoundSegmentsBlock<Half>);
WB_GPU_FUNCTION(RoundSegmentsBlock<BFloat16>);
#define WB_SEGMENT_BLOCKS(T)                                   \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kSum, T, int32_t>);  \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kSum, T, int64_t>);  \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kProd, T, int32_t>); \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kProd, T, int64_t>); \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kMax, T, int32_t>);  \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kMax, T, int64_t>);  \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kMin, T, int32_t>);  \
  WB_GPU_FUNCTION(JoinSegmentsBlock<Join::kMin, T, int64_t>)
WB_SEGMENT_BLOCKS(Half);
WB_SEGMENT_BLOCKS(BFloat16);
WB_SEGMENT_BLOCKS(float);
WB_SEGMENT_BLOCKS(double);
WB_SEGMENT_BLOCKS(int32_t);

#if WB_HOST_PASS
namespace {

// `width` numbers of T for each row; complex numbers are two.
template <Join kJoin, class T>
Status JoinSegmentsOnGpu(KernelContext& ctx, GpuStream& stream, int64_t width, Tensor* out) {
  using A = ComputeType<T>;
  const Tensor& ids = ctx.input(1);
  const int64_t count = out->dim(0), size = count * width;
  T* const y = static_cast<T*>(out->raw_data());
  A* sums = reinterpret_cast<A*>(y);
  Tensor temporary;
  if constexpr (!std::is_same_v<A, T>) {
    WB_ASSIGN_OR_RETURN(temporary, ctx.AllocateTemp(DTypeOf<A>::value, Shape({size})));
    sums = temporary.data<A>();
  }
  const A start = static_cast<A>(Neutral<kJoin, T>());
  WB_RETURN_IF_ERROR(Launch(stream, ElementGrid(size), FillWithBlock<A>{start, sums, size}));
  const T* const x = static_cast<const T*>(ctx.input(0).raw_data());
  const int64_t rows = ids.num_elements();
  if (rows > 0) {
    WB_RETURN_IF_ERROR(DispatchIndex(ids.dtype(), [&](auto tag) {
      using Index = typename decltype(tag)::type;
      return Launch(
          stream, ElementGrid(rows * width),
          JoinSegmentsBlock<kJoin, T, Index>{x, ids.data<Index>(), sums, rows, width, count});
    }));
  }
  if constexpr (!std::is_same_v<A, T>) {
    return Launch(stream, ElementGrid(size), RoundSegmentsBlock<T>{sums, y, size});
  }
  return OkStatus();
}

template <Join kJoin>
class UnsortedSegmentsOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<UnsortedSegmentsOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<JoinSegmentsBlock<kJoin, float, int32_t>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const Shape shape, UnsortedSegmentsShape(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t width = out->num_elements() / out->dim(0);
    if constexpr (kJoin == Join::kSum) {
      if (out->dtype() == DType::kComplex64) {
        return JoinSegmentsOnGpu<kJoin, float>(ctx, stream, 2 * width, out);
      }
      if (out->dtype() == DType::kComplex128) {
        return JoinSegmentsOnGpu<kJoin, double>(ctx, stream, 2 * width, out);
      }
    }
    using Types = ConcatTypes<FloatTypeList, TypeList<int32_t>>;
    return DispatchTypes(Types{}, out->dtype(), [&](auto tag) {
      return JoinSegmentsOnGpu<kJoin, typename decltype(tag)::type>(ctx, stream, width, out);
    });
  }
};

}  // namespace

WB_GPU_KERNEL("UnsortedSegmentSum", UnsortedSegmentsOnGpu<Join::kSum>);
WB_GPU_KERNEL("UnsortedSegmentProd", UnsortedSegmentsOnGpu<Join::kProd>);
WB_GPU_KERNEL("UnsortedSegmentMax", UnsortedSegmentsOnGpu<Join::kMax>);
WB_GPU_KERNEL("UnsortedSegmentMin", UnsortedSegmentsOnGpu<Join::kMin>);
#endif

}  // namespace warpbeam::WB_PASS
