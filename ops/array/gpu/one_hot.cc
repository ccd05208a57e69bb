// OneHot on a GPU: each element of the result looks whether its index is the one.
#include "ops/array/gpu/fast_divisor.h"
#include "ops/array/gpu/index_reader.h"
#include "ops/array/gpu/moved_element.h"
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"

#if WB_HOST_PASS
#include <memory>

#include "ops/array/index/one_hot_plan.h"
#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T, class Index>
struct OneHotBlock {
  T* y;
  const T* on;
  const T* off;
  IndexReader indices;
  Index count;
  DivisorFor<Index> depth, inner;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const T on_value = *on, off_value = *off;
    ForEachElement(block, count, [&](Index i) {
      const auto row = static_cast<Index>(inner.Quotient(i));
      const auto outer = static_cast<Index>(depth.Quotient(row));
      const Index at =
          outer * static_cast<Index>(inner.divisor) + (i - row * static_cast<Index>(inner.divisor));
      const int64_t place = row - outer * static_cast<Index>(depth.divisor);
      y[i] = indices[at] == place ? on_value : off_value;
    });
  }
};

#define WB_ONE_HOT_BLOCKS(T)                 \
  WB_GPU_FUNCTION(OneHotBlock<T, uint32_t>); \
  WB_GPU_FUNCTION(OneHotBlock<T, int64_t>);
WB_FOR_MOVED_ELEMENTS(WB_ONE_HOT_BLOCKS)
#undef WB_ONE_HOT_BLOCKS

#if WB_HOST_PASS
namespace {

class OneHotOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(int64_t axis, init.attr<int64_t>("axis"));
    return std::make_unique<OneHotOnGpu>(axis);
  }
  static bool HasGpuCode(const AttrMap&) {
    return HasGpuFunction<OneHotBlock<uint32_t, uint32_t>>();
  }
  explicit OneHotOnGpu(int64_t axis) : axis_(axis) {}

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const OneHotPlan plan, OneHotPlan::Make(ctx, axis_));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, plan.shape));
    if (y->num_elements() == 0) return OkStatus();
    return DispatchWidth(static_cast<int>(DTypeSize(y->dtype())), [&](auto tag) {
      using T = typename decltype(tag)::type;
      return y->num_elements() < kMost32 ? Enqueue<T, uint32_t>(ctx, stream, plan, y)
                                         : Enqueue<T, int64_t>(ctx, stream, plan, y);
    });
  }

 private:
  template <class T, class Index>
  static Status Enqueue(KernelContext& ctx, GpuStream& stream, const OneHotPlan& plan, Tensor* y) {
    const int64_t count = y->num_elements();
    return Launch(
        stream, ElementGrid(count),
        OneHotBlock<T, Index>{static_cast<T*>(y->raw_data()),
                              static_cast<const T*>(ctx.input(2).raw_data()),
                              static_cast<const T*>(ctx.input(3).raw_data()),
                              IndexReader(ctx.input(0)), static_cast<Index>(count),
                              DivisorFor<Index>(plan.depth), DivisorFor<Index>(plan.inner)});
  }

  const int64_t axis_;
};

}  // namespace

WB_GPU_KERNEL("OneHot", OneHotOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
