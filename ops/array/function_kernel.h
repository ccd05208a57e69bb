// FunctionKernel: makes a kernel of a plain function, for ops whose attributes it need not know.
//
//   Status RunRank(KernelContext& ctx) { … }
//   WB_KERNEL("Rank", FunctionKernel<RunRank>).Cpu().Cheap();
//
// Thread safety: the function may run from several threads at once. Errors: the function's own.
#ifndef WARPBEAM_OPS_ARRAY_FUNCTION_KERNEL_H_
#define WARPBEAM_OPS_ARRAY_FUNCTION_KERNEL_H_

#include <memory>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

template <Status (*Run)(KernelContext&)>
class FunctionKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<FunctionKernel>();
  }
  Status Compute(KernelContext& ctx) override { return Run(ctx); }
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_ARRAY_FUNCTION_KERNEL_H_
