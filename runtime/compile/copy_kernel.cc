#include "runtime/compile/copy_kernel.h"

#include <utility>

#include "runtime/device/device_health.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

Allocator& AllocatorOf(Device* device) {
  return device == nullptr ? PoolAllocator::Process() : device->allocator();
}

class CopyKernel final : public Kernel {
 public:
  CopyKernel(Device* from, Device* to, Stream* stream, bool is_async)
      : from_(from), to_(to), stream_(stream), is_async_(is_async) {}

  bool is_async() const override { return is_async_; }

  Status Compute(KernelContext& ctx) override {
    return EnqueueThen(ctx, [](const Status&) {});
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    if (Status s = EnqueueThen(ctx, done); !s.ok()) done(s);
  }

 private:
  // What is enqueued uses both tensors until it is done, whoever lets go of them meanwhile. `then`
  // finds them let go of: who reads the copy next may take its memory.
  Status EnqueueThen(KernelContext& ctx, Done then) {
    WB_RETURN_IF_ERROR(Enqueue(ctx));
    return stream_->WhenDone(
        [then = std::move(then), in = ctx.input(0), out = ctx.output(0)](const Status& s) mutable {
          in = Tensor();
          out = Tensor();
          then(s);
        });
  }

  Status Enqueue(KernelContext& ctx) {
    const Tensor& in = ctx.input(0);
    WB_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(in.dtype(), in.shape(), AllocatorOf(to_)));
    // The source may be a variable that kernels still write; the new memory may be what kernels
    // still read.
    for (Device* device : {from_, to_}) {
      if (device != nullptr) WB_RETURN_IF_ERROR(device->OrderBehindKernels(*stream_));
    }
    WB_RETURN_IF_ERROR(stream_->Copy(out.raw_data(), in.raw_data(), in.bytes()));
    ctx.set_output(0, std::move(out));
    return OkStatus();
  }

  Device* const from_;
  Device* const to_;
  Stream* const stream_;
  const bool is_async_;
};

}  // namespace

std::unique_ptr<Kernel> NewCopyKernel(Device* from, Device* to, Stream* stream, bool is_async) {
  return std::make_unique<CopyKernel>(from, to, stream, is_async);
}

StatusOr<Tensor> CopyNow(const Tensor& tensor, Device* from, Device* to) {
  Device* on = to != nullptr ? to : from;
  if (auto* const health = dynamic_cast<DeviceHealth*>(on); health != nullptr) {
    WB_RETURN_IF_ERROR(health->status());
  }
  WB_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(tensor.dtype(), tensor.shape(), AllocatorOf(to)));
  if (on == nullptr) {
    CopyElements(tensor.dtype(), out.raw_data(), tensor.raw_data(), tensor.num_elements());
    return out;
  }
  WB_RETURN_IF_ERROR(on->compute_stream()->Copy(out.raw_data(), tensor.raw_data(), tensor.bytes()));
  WB_RETURN_IF_ERROR(on->compute_stream()->Synchronize());
  return out;
}

}  // namespace warpbeam
