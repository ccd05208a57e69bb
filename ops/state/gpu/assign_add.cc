// AssignAdd, AssignSub and their forms for resource variables on a GPU.
#include <memory>

#include "ops/state/elements_here.h"
#include "ops/state/elementwise_update.h"
#include "ops/state/variable_update.h"
#include "runtime/kernel/block_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <bool is_resource, bool kSubtract>
class SumOnGpu final : public GpuKernel, public GpuStepKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SumOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasSumsOnGpu(); }
  int num_variables() const override { return 1; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& delta = ctx.input(1);
    return UpdateVariable<is_resource>(ctx, finder_, [&](Variable& v) {
      return v.Update([&](Tensor& value) -> Status {
        WB_RETURN_IF_ERROR(CheckInitialized(v, value));
        WB_RETURN_IF_ERROR(CheckElementwiseUpdate(value, delta));
        WB_ASSIGN_OR_RETURN(Tensor sum, RoomForSuccessor(ctx, value));
        WB_RETURN_IF_ERROR(EnqueueSum(stream, kSubtract, value, delta, &sum));
        value = std::move(sum);
        return OkStatus();
      });
    });
  }

 private:
  VariableFinder finder_;
};

}  // namespace

using AssignAddOnGpu = SumOnGpu<false, false>;
using AssignSubOnGpu = SumOnGpu<false, true>;
using AssignAddVariableOnGpu = SumOnGpu<true, false>;
using AssignSubVariableOnGpu = SumOnGpu<true, true>;
WB_GPU_KERNEL("AssignAdd", AssignAddOnGpu);
WB_GPU_KERNEL("AssignSub", AssignSubOnGpu);
WB_GPU_KERNEL("AssignAddVariableOp", AssignAddVariableOnGpu);
WB_GPU_KERNEL("AssignSubVariableOp", AssignSubVariableOnGpu);

}  // namespace warpbeam
