// SameOnGpu: a kernel of host code as a GPU's kernel, where it hands tensors on, or says something
// of them, and reads none of their bytes.
//
//   WB_KERNEL("ReadVariableOp", ReadVariableKernel).Cpu().Gpu().HostMemory({"resource"});
//   WB_GPU_KERNEL("ReadVariableOp", SameOnGpu<ReadVariableKernel>);
//
// Otherwise a real GPU would have no kernel, and the launch on a simulated one would first wait for
// the stream, as for everything that has state (runtime/compile/host_code_kernel.h).
//
// Thread safety and errors: as the kernel's.
#ifndef WARPBEAM_OPS_STATE_SAME_ON_GPU_H_
#define WARPBEAM_OPS_STATE_SAME_ON_GPU_H_

#include <memory>
#include <utility>

#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

template <class HostKernel>
class SameOnGpu final : public GpuKernel {
 public:
  explicit SameOnGpu(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, HostKernel::Create(init));
    return std::make_unique<SameOnGpu>(std::move(kernel));
  }
  static bool HasGpuCode(const AttrMap&) { return true; }

  Status Enqueue(KernelContext& ctx, GpuStream&) override { return kernel_->Compute(ctx); }

 private:
  const std::unique_ptr<Kernel> kernel_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_SAME_ON_GPU_H_
