// Range on a GPU. Each element is computed by itself, where the CPU adds up; floats may differ in
// their last bits.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/launch/math.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/range_size.h"
#include "ops/launch/dispatch.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct RangeBlock {
  T* y;
  ComputeType<T> start, delta;
  int64_t count;

  WB_BLOCK void operator()(GpuBlock& block) const {
    using A = ComputeType<T>;
    ForEachElement(block, count, [&](int64_t i) {
      y[i] = static_cast<T>(Plus(start, Times(delta, static_cast<A>(i))));
    });
  }
};
WB_GPU_FUNCTION(RangeBlock<Half>);
WB_GPU_FUNCTION(RangeBlock<BFloat16>);
WB_GPU_FUNCTION(RangeBlock<float>);
WB_GPU_FUNCTION(RangeBlock<double>);
WB_GPU_FUNCTION(RangeBlock<int64_t>);

#if WB_HOST_PASS
namespace {

class RangeOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<RangeOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<RangeBlock<float>>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const int64_t size, RangeSize(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({size})));
    if (size == 0) return OkStatus();
    using Types = ConcatTypes<FloatTypeList, TypeList<int64_t>>;
    return DispatchTypes(Types{}, y->dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using A = ComputeType<T>;
      return Launch(stream, ElementGrid(size),
                    RangeBlock<T>{y->data<T>(), static_cast<A>(ctx.input(0).scalar<T>()),
                                  static_cast<A>(ctx.input(2).scalar<T>()), size});
    });
  }
};

}  // namespace

WB_GPU_KERNEL("Range", RangeOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
