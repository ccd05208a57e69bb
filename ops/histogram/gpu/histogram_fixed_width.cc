// HistogramFixedWidth on a GPU. NaN is left out: nobody can refuse it without waiting.
#include "ops/histogram/histogram_fixed_width.h"

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct HistogramBlock {
  const T* values;
  int32_t* counts;
  int64_t count;
  HistogramRange<T> spread;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const T value = values[i];
      if (value == value) AtomicAdd(counts + spread.BinOf(value), 1);
    });
  }
};
WB_GPU_FUNCTION(HistogramBlock<float>);
WB_GPU_FUNCTION(HistogramBlock<double>);

#if WB_HOST_PASS
namespace {

class HistogramOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<HistogramOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<HistogramBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& values = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const int64_t bins, HistogramBins(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * counts, ctx.Allocate(0, Shape({bins})));
    GpuCopier copier(stream);
    WB_RETURN_IF_ERROR(copier.Zero(counts->dtype(), counts->raw_data(), bins));
    const int64_t count = values.num_elements();
    return DispatchTypes<float, double>(values.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(const auto spread, HistogramRange<T>::Make(ctx.input(1), bins));
      if (count == 0) return OkStatus();
      return Launch(stream, ElementGrid(count),
                    HistogramBlock<T>{values.data<T>(), counts->data<int32_t>(), count, spread});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("HistogramFixedWidth", HistogramOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
