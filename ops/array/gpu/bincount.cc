// Bincount on a GPU. Numbers that have no bin are left out, negative ones too: nobody can refuse
// them without waiting.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/index/bincount.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct BincountBlock {
  const int32_t* values;
  const T* weights;  // or null
  T* bins;
  int64_t count, size;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      const int64_t value = values[i];
      if (value < 0 || value >= size) return;
      AtomicAdd(bins + value, weights == nullptr ? T(1) : weights[i]);
    });
  }
};
WB_GPU_FUNCTION(BincountBlock<float>);
WB_GPU_FUNCTION(BincountBlock<int32_t>);

#if WB_HOST_PASS
namespace {

class BincountOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<BincountOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<BincountBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &values = ctx.input(0), &weights = ctx.input(2);
    WB_ASSIGN_OR_RETURN(const int64_t size, BincountSize(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * bins, ctx.Allocate(0, Shape({size})));
    GpuCopier copier(stream);
    WB_RETURN_IF_ERROR(copier.Zero(bins->dtype(), bins->raw_data(), size));
    const int64_t count = values.num_elements();
    if (count == 0 || size == 0) return OkStatus();
    return DispatchTypes<float, int32_t>(bins->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const by = weights.num_elements() == 0 ? nullptr : weights.data<T>();
      return Launch(stream, ElementGrid(count),
                    BincountBlock<T>{values.data<int32_t>(), by, bins->data<T>(), count, size});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("Bincount", BincountOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
