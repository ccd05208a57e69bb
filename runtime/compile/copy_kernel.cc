#include "runtime/compile/copy_kernel.h"

#include <utility>

#include "runtime/kernel/kernel_context.h"
#include "runtime/memory/pool_allocator.h"

namespace warpbeam {
namespace {

Allocator& AllocatorOf(Device* device) {
  return device == nullptr ? PoolAllocator::Process() : device->allocator();
}

class CopyKernel final : public AsyncKernel {
 public:
  CopyKernel(Device* from, Device* to, Stream* stream) : from_(from), to_(to), stream_(stream) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    const Tensor& in = ctx.input(0);
    auto made = Tensor::Allocate(in.dtype(), in.shape(), AllocatorOf(to_));
    if (!made.ok()) return done(made.status());
    Tensor out = *std::move(made);
    if (absl::Status s = WaitForProducer(); !s.ok()) return done(s);
    if (absl::Status s = stream_->Copy(out.raw_data(), in.raw_data(), in.bytes()); !s.ok()) {
      return done(s);
    }
    ctx.set_output(0, std::move(out));
    if (absl::Status s = stream_->HostCallback([done] { done(absl::OkStatus()); }); !s.ok()) {
      done(s);
    }
  }

 private:
  // Where kernels only enqueue, the tensor may not be written yet when its kernel has returned.
  absl::Status WaitForProducer() {
    if (from_ == nullptr || from_->execution_model() != ExecutionModel::kEnqueues) {
      return absl::OkStatus();
    }
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Event> event, from_->NewEvent());
    WB_RETURN_IF_ERROR(from_->compute_stream()->Record(event.get()));
    return stream_->Wait(event.get());
  }

  Device* const from_;
  Device* const to_;
  Stream* const stream_;
};

}  // namespace

std::unique_ptr<Kernel> NewCopyKernel(Device* from, Device* to, Stream* stream) {
  return std::make_unique<CopyKernel>(from, to, stream);
}

absl::StatusOr<Tensor> CopyNow(const Tensor& tensor, Device* from, Device* to) {
  Device* on = to != nullptr ? to : from;
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
