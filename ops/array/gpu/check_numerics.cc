// CheckNumerics and CheckNumericsV2 on a GPU. The host is told what was found before it goes on, so
// that nothing that is to follow a good tensor follows a bad one.
#include "ops/array/abnormal_values.h"
#include "ops/launch/gpu_flags.h"

#if WB_HOST_PASS
#include <memory>
#include <string>
#include <utility>

#include "ops/launch/dispatch.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct AbnormalAt {
  const T* x;
  WB_BLOCK int64_t Flags(int64_t i) const {
    return AbnormalKind(static_cast<ComputeType<T>>(x[i]));
  }
};

WB_GPU_FUNCTION(FlagsBlock<AbnormalAt<Half>>);
WB_GPU_FUNCTION(FlagsBlock<AbnormalAt<BFloat16>>);
WB_GPU_FUNCTION(FlagsBlock<AbnormalAt<float>>);
WB_GPU_FUNCTION(FlagsBlock<AbnormalAt<double>>);

#if WB_HOST_PASS
namespace {

template <bool kSigns>
class CheckNumericsOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string message, init.attr<std::string>("message"));
    return std::make_unique<CheckNumericsOnGpu>(std::move(message));
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<FlagsBlock<AbnormalAt<float>>>(); }
  explicit CheckNumericsOnGpu(std::string message) : message_(std::move(message)) {}

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    return DispatchTypes(FloatTypeList{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      WB_ASSIGN_OR_RETURN(const int64_t found,
                          ReadFlags(ctx, stream, AbnormalAt<T>{x.data<T>()}, x.num_elements()));
      if (found != 0) return AbnormalValues(message_, static_cast<int>(found), kSigns);
      ctx.set_output(0, x);
      return OkStatus();
    });
  }

 private:
  const std::string message_;
};

}  // namespace

WB_GPU_KERNEL("CheckNumerics", CheckNumericsOnGpu<false>);
WB_GPU_KERNEL("CheckNumericsV2", CheckNumericsOnGpu<true>);
#endif

}  // namespace warpbeam::WB_PASS
