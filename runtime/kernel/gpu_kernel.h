// GpuKernel: HOW one node computes on a GPU: it enqueues its work, and has not computed anything
// yet when it returns.
//
//   class SoftmaxOnGpu final : public GpuKernel {
//    public:
//     static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) { … }
//     static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<SoftmaxBlock<float>>(); }
//     Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
//       const Tensor& x = ctx.input(0);
//       WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
//       return Launch(stream, grid, SoftmaxBlock<float>{x.data<float>(), y->data<float>()});
//     }
//   };
//   WB_GPU_KERNEL("Softmax", SoftmaxOnGpu);          // beside its WB_KERNEL
//
// Code that runs on the device reaches it in two ways: functions of blocks, written once for host
// and GPU (ops/launch/gpu_function.h), and interfaces to libraries with one side for each
// (ops/launch/gpu_products.h). On a simulated GPU both are host code, enqueued like the other.
// Libraries are called wherever a driver has the stream (ops/launch/gpu_sides.h).
//
// Memory that Enqueue takes (KernelContext::Allocate, AllocateTemp) may be let go as soon as it
// returns: the device gives memory out in the order of the stream. Arguments in host memory can be
// read; those on the device cannot.
//
// Launches may be recorded and played again without a call; a kernel whose launches differ from
// call to call says so (runtime/kernel/replayable.h).
//
// Thread safety and errors: as Kernel. What goes wrong later cancels the step.
#ifndef WARPBEAM_RUNTIME_KERNEL_GPU_KERNEL_H_
#define WARPBEAM_RUNTIME_KERNEL_GPU_KERNEL_H_

#include <functional>

#include "runtime/device/device.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/replayable.h"

namespace warpbeam {

// Where a kernel's launches go: the compute stream of its device, or, on a simulated GPU whose
// kernels run in the order of the stream themselves, the calling thread.
class GpuStream {
 public:
  explicit GpuStream(Device& device) : device_(device) {}

  // Whether kernels are host code (RunOnHost), else the driver launches them.
  bool runs_host_code() const { return device_.runs_host_code(); }
  Status RunOnHost(std::function<void()> kernel);
  bool has_driver() const { return device_.has_driver(); }
  // For a driver's libraries; null where there is no driver (Stream::native_handle).
  void* native_handle() const { return device_.compute_stream()->native_handle(); }

 private:
  Device& device_;
};

class GpuKernel : public Kernel, public Replayable {
 public:
  Status Compute(KernelContext& ctx) final {
    GpuStream stream(*ctx.device());
    return Enqueue(ctx, stream);
  }
  virtual Status Enqueue(KernelContext& ctx, GpuStream& stream) = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_GPU_KERNEL_H_
