// Cross on a GPU: a thread for each vector.
#include "ops/math/cross.h"

#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct CrossBlock {
  const T* a;
  const T* b;
  T* product;
  int64_t vectors;

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, vectors,
                   [&](int64_t i) { CrossVectors(a + 3 * i, b + 3 * i, product + 3 * i); });
  }
};

WB_GPU_FUNCTION(CrossBlock<Half>);
WB_GPU_FUNCTION(CrossBlock<BFloat16>);
WB_GPU_FUNCTION(CrossBlock<float>);
WB_GPU_FUNCTION(CrossBlock<double>);
WB_GPU_FUNCTION(CrossBlock<int8_t>);
WB_GPU_FUNCTION(CrossBlock<int16_t>);
WB_GPU_FUNCTION(CrossBlock<int32_t>);
WB_GPU_FUNCTION(CrossBlock<int64_t>);
WB_GPU_FUNCTION(CrossBlock<uint8_t>);
WB_GPU_FUNCTION(CrossBlock<uint16_t>);
WB_GPU_FUNCTION(CrossBlock<uint32_t>);
WB_GPU_FUNCTION(CrossBlock<uint64_t>);

#if WB_HOST_PASS
namespace {

class CrossOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CrossOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<CrossBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor &a = ctx.input(0), &b = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckCross(a.shape(), b.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * product, ctx.Allocate(0, a.shape()));
    const int64_t vectors = a.num_elements() / 3;
    if (vectors == 0) return OkStatus();
    GpuGrid grid;
    grid.blocks = GpuBlocksFor((vectors + grid.threads - 1) / grid.threads);
    return DispatchTypes(RealTypeList{}, a.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return Launch(stream, grid,
                    CrossBlock<T>{a.data<T>(), b.data<T>(), product->data<T>(), vectors});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("Cross", CrossOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
