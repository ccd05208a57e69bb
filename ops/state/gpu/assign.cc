// Assign, AssignVariableOp on a GPU.
#include <memory>
#include <utility>

#include "ops/state/assignment.h"
#include "ops/state/gpu/variable_update.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <class Assignment>
class AssignOnGpu final : public GpuKernel {
 public:
  explicit AssignOnGpu(std::unique_ptr<Assignment> assignment)
      : assignment_(std::move(assignment)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Assignment> assignment, Assignment::Create(init));
    return std::make_unique<AssignOnGpu>(std::move(assignment));
  }
  static bool HasGpuCode(const AttrMap&) { return true; }

  absl::Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(Tensor value, ValueToKeepOnGpu(ctx, stream, ctx.input(1)));
    return assignment_->Run(ctx, std::move(value));
  }

 private:
  const std::unique_ptr<Assignment> assignment_;
};

}  // namespace

WB_GPU_KERNEL("Assign", AssignOnGpu<ReferenceAssignment>);
WB_GPU_KERNEL("AssignVariableOp", AssignOnGpu<ResourceAssignment>);

}  // namespace warpbeam
