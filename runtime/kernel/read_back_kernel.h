// ReadBackKernel: a GpuKernel that has to know numbers which its stream computes before it can go
// on, such as how many rows its output has, or whether what it was given is valid.
//
//   class RowsOnGpu final : public ReadBackKernel {
//    public:
//     Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
//       WB_ASSIGN_OR_RETURN(Tensor count, ctx.AllocateTemp(DType::kInt64, Shape({1})));
//       WB_RETURN_IF_ERROR(Launch(stream, grid, CountRows{count.data<int64_t>()}));
//       int64_t rows = 0;
//       WB_RETURN_IF_ERROR(stream.Read(count.data<int64_t>(), 1, &rows));
//       WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, Shape({rows})));
//       return Launch(stream, grid, FillRows{y->data<float>()});
//     }
//   };
//
// Reading waits for all that the stream has been given so far. What was launched goes on meanwhile;
// nothing more is launched on this GPU, since its one launch thread is the one that waits. So a
// kernel reads once if it can, and a few numbers only. It is never recorded
// (runtime/step/replay.h): it cuts what is around it into several recordings.
//
// Thread safety: as Kernel. Errors: those of a read: what was enqueued has failed; the step was
// cancelled, or its deadline has come, which ends the wait at once.
#ifndef WARPBEAM_RUNTIME_KERNEL_READ_BACK_KERNEL_H_
#define WARPBEAM_RUNTIME_KERNEL_READ_BACK_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/kernel/gpu_kernel.h"

namespace warpbeam {

// Only kernels that say that they read get one.
class ReadableGpuStream : public GpuStream {
 public:
  explicit ReadableGpuStream(KernelContext& ctx) : GpuStream(*ctx.device()), ctx_(ctx) {}

  // `count` numbers from the GPU's memory, at the address that a kernel sees, into host memory.
  template <class T>
  Status Read(const T* from, int64_t count, T* to) {
    static_assert(std::is_trivially_copyable_v<T>);
    return ReadBytes(from, sizeof(T) * static_cast<size_t>(count), to);
  }
  // All of a tensor in the GPU's memory, into one in host memory.
  StatusOr<Tensor> Read(const Tensor& on_gpu);

 private:
  Status ReadBytes(const void* from, size_t bytes, void* to);
  KernelContext& ctx_;
};

class ReadBackKernel : public GpuKernel {
 public:
  bool is_replayable() const final { return false; }
  Status Enqueue(KernelContext& ctx, GpuStream&) final {
    ReadableGpuStream stream(ctx);
    return EnqueueReading(ctx, stream);
  }
  virtual Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) = 0;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_READ_BACK_KERNEL_H_
