// Device: a place where kernels run, with memory and streams of its own.
//
// Device and Stream are the whole seam between the executor and hardware: a new device is an
// implementation of these two. `cpu` runs kernels on host threads; `simulated` is a GPU without
// hardware, whose memory host code may not touch; `cuda` is the real one.
//
//   std::unique_ptr<Device> gpu = NewSimulatedDevice(name, options);
//   WB_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(DType::kFloat, shape, gpu->allocator()));
//   WB_RETURN_IF_ERROR(gpu->compute_stream()->Copy(t.raw_data(), host, bytes));
//   WB_RETURN_IF_ERROR(gpu->Synchronize());
//
// Ownership: a device owns its allocator and default streams and must outlive buffers and streams
// made from it. Thread safety: every method may be called from any thread. Errors:
// UNAVAILABLE or INTERNAL from the driver below, RESOURCE_EXHAUSTED for memory.
#ifndef WARPBEAM_RUNTIME_DEVICE_DEVICE_H_
#define WARPBEAM_RUNTIME_DEVICE_DEVICE_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "graph/types/buffer.h"
#include "graph/types/errors.h"
#include "placement/device_name.h"
#include "runtime/device/stream.h"

namespace warpbeam {

// How kernels of a device are executed.
enum class ExecutionModel : uint8_t {
  kHostThreads,  // Compute runs on a host worker thread and is finished when it returns
  kOnStream,     // Compute itself runs in the order of the compute stream (simulated)
  kEnqueues,     // Compute runs on a launch thread and enqueues work on the compute stream (cuda,
                 // and simulated where it is asked for)
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceName& name() const = 0;
  virtual DeviceType type() const = 0;
  virtual ExecutionModel execution_model() const = 0;
  // "2 cores", "simulated, 256 MiB"…: for listings.
  virtual std::string Description() const = 0;
  virtual int64_t memory_limit() const = 0;  // bytes
  // Whether kernels are host code, which may use the memory at ToKernelAddress; else they are code
  // of the device's own, which only a launch reaches.
  virtual bool runs_host_code() const { return true; }
  // Of a GPU: whether its kernels are those of real GPUs (WB_GPU_KERNEL) where there are such, else
  // the CPU's.
  virtual bool runs_gpu_kernels() const { return !runs_host_code(); }

  // Whether a driver has it: libraries then enqueue on its streams (Stream::native_handle).
  virtual bool has_driver() const { return false; }

  virtual Allocator& allocator() = 0;
  virtual Stream* compute_stream() = 0;  // null for kHostThreads
  virtual StatusOr<std::unique_ptr<Stream>> NewStream() = 0;
  // Makes `stream`, of this device or another of its kind, wait for the kernels that have been
  // enqueued here so far: before it uses memory that they use, or that was theirs. Where kernels
  // have run when they return there is nothing to wait for.
  Status OrderBehindKernels(Stream& stream) {
    if (execution_model() != ExecutionModel::kEnqueues) return OkStatus();
    return stream.WaitFor(*compute_stream());
  }
  // Waits until everything enqueued so far has happened.
  virtual Status Synchronize() = 0;

  // How many host threads would share the work of a kernel that began now.
  virtual int width() const { return 1; }

  // Runs fn(begin, end) over [0, count) on the device's host threads, the caller's included.
  virtual void ParallelFor(int64_t count, int64_t ns_per_item,
                           absl::FunctionRef<void(int64_t, int64_t)> fn) = 0;

  // Devices may give tensors one address and kernels another: these translate. Identity by default.
  virtual void* ToKernelAddress(void* p) const { return p; }
  virtual void* ToTensorAddress(void* p) const { return p; }
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_DEVICE_H_
