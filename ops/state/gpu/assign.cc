// Assign, AssignVariableOp on a GPU.
#include <memory>
#include <utility>

#include "ops/state/assignment.h"
#include "ops/state/variable_update.h"
#include "runtime/device/arena.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class Assignment>
class AssignOnGpu final : public GpuKernel {
 public:
  explicit AssignOnGpu(std::unique_ptr<Assignment> assignment)
      : assignment_(std::move(assignment)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Assignment> assignment, Assignment::Create(init));
    return std::make_unique<AssignOnGpu>(std::move(assignment));
  }
  static bool HasGpuCode(const AttrMap&) { return true; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeepOnGpu(ctx, stream, ctx.input(1)));
    return assignment_->Run(ctx, std::move(value),
                            [&](const Variable& variable, Tensor& current, Tensor& next) {
                              return Put(ctx, stream, variable, current, next);
                            });
  }

 private:
  // What is recorded finds a variable at the same address each time, so that it keeps its memory
  // there, and in steps between that are not played.
  static Status Put(KernelContext& ctx, GpuStream& stream, const Variable& variable,
                    Tensor& current, Tensor& next) {
    const bool stays = variable.stays_in_place() || MemoryScope::Current(*ctx.device()) != nullptr;
    if (!stays || !current.has_value() || current.dtype() != next.dtype() ||
        current.shape() != next.shape() || !current.IsUnique()) {
      return SwapValues(variable, current, next);
    }
    return CopyOnGpu(ctx, stream, ctx.device()->ToKernelAddress(current.raw_data()),
                     next.raw_data(), next.bytes());
  }

  const std::unique_ptr<Assignment> assignment_;
};

}  // namespace

WB_GPU_KERNEL("Assign", AssignOnGpu<ReferenceAssignment>);
WB_GPU_KERNEL("AssignVariableOp", AssignOnGpu<ResourceAssignment>);

}  // namespace warpbeam
