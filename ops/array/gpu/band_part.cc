// MatrixBandPart and BatchMatrixBandPart on a GPU.
#include "ops/array/gpu/fast_divisor.h"
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/layout/band.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// `y` may be `x`.
template <class T, class Index>
struct BandPartBlock {
  T* y;
  const T* x;
  Index count;
  DivisorFor<Index> rows, cols;
  int64_t below, above;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](Index i) {
      const auto line = static_cast<Index>(cols.Quotient(i));
      const int64_t col = i - line * static_cast<Index>(cols.divisor);
      const int64_t row =
          line - static_cast<Index>(rows.Quotient(line)) * static_cast<Index>(rows.divisor);
      y[i] = col >= row - below && col <= row + above ? x[i] : T{};
    });
  }
};

#define WB_BAND_PART_BLOCKS(T)                 \
  WB_GPU_FUNCTION(BandPartBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(BandPartBlock<T, int64_t>);
WB_FOR_MOVED_ELEMENTS(WB_BAND_PART_BLOCKS)
#undef WB_BAND_PART_BLOCKS

#if WB_HOST_PASS
namespace {

class BandPartOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<BandPartOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<BandPartBlock<uint32_t, uint32_t>>();
  }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const Band band, Band::Read(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.ForwardOrAllocate({0}, 0, x.shape()));
    if (y->num_elements() == 0) return OkStatus();
    return DispatchWidth(static_cast<int>(DTypeSize(x.dtype())), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return y->num_elements() < kMost32 ? Enqueue<T, uint32_t>(stream, band, x, y)
                                         : Enqueue<T, int64_t>(stream, band, x, y);
    });
  }

 private:
  template <class T, class Index>
  static Status Enqueue(GpuStream& stream, const Band& band, const Tensor& x, Tensor* y) {
    const int64_t count = y->num_elements();
    return Launch(
        stream, ElementGrid(count),
        BandPartBlock<T, Index>{static_cast<T*>(y->raw_data()), static_cast<const T*>(x.raw_data()),
                                static_cast<Index>(count), DivisorFor<Index>(band.rows),
                                DivisorFor<Index>(band.cols), band.below, band.above});
  }
};

}  // namespace

WB_GPU_KERNEL("MatrixBandPart", BandPartOnGpu);
WB_GPU_KERNEL("BatchMatrixBandPart", BandPartOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
