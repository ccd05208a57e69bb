// SameOnGpu: a kernel of host code as a GPU's kernel, where it hands tensors on, or says something
// of them, and reads none of their bytes.
//
//   WB_KERNEL("StackPopV2", FunctionKernel<RunPop>).Cpu().Gpu().HostMemory({"handle"});
//   WB_GPU_KERNEL("StackPopV2", SameOnGpu<FunctionKernel<RunPop>>);
//
// It is called in each step, whatever is recorded around it: what it finds or puts aside is the
// step's. A variable that has been read is looked after by those who play recordings: its kernels
// are ReplayedOnGpu.
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

template <class HostKernel, bool is_replayed = false>
class SameOnGpu final : public GpuKernel {
 public:
  explicit SameOnGpu(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, HostKernel::Create(init));
    return std::make_unique<SameOnGpu>(std::move(kernel));
  }
  static bool HasGpuCode(const AttrMap&) { return true; }

  bool is_replayable() const override { return is_replayed; }
  Status Enqueue(KernelContext& ctx, GpuStream&) override { return kernel_->Compute(ctx); }

 private:
  const std::unique_ptr<Kernel> kernel_;
};
template <class HostKernel>
using ReplayedOnGpu = SameOnGpu<HostKernel, true>;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_STATE_SAME_ON_GPU_H_
