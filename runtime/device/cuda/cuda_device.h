// The cuda device: a logical GPU on a physical one.
//
// Kernels run on a host thread and enqueue their work on the compute stream. Memory is a range of
// the device's own (runtime/device/cuda/cuda_memory.h), in the order of that stream. Several
// logical devices may share one physical GPU.
//
//   WB_ASSIGN_OR_RETURN(auto gpu, NewCudaDevice(DeviceName::Local(DeviceType::kGpu, 0), 0, 1));
//
// Ownership, thread safety: as Device. Errors: UNAVAILABLE without a driver or GPU;
// INVALID_ARGUMENT for a GPU that there is not; INTERNAL once the GPU has failed for this process
// (DeviceHealth, which a device is, too).
#ifndef WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_DEVICE_H_
#define WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_DEVICE_H_

#include <memory>

#include "runtime/device/device.h"
#include "runtime/device/gpu_platform.h"

namespace warpbeam {

// The GPUs that this build has code for. What keeps others, or all of them, from being used, such
// as a driver that is missing, too old or does not work, is a line (gpu_warning.h), and they do not
// count. Once there are some, they are kept for the process with their numbers, whichever fails.
// INTERNAL where a GPU had failed for this process before any was found.
StatusOr<int> CountCudaGpus();
// On one of these.
StatusOr<std::unique_ptr<Device>> NewCudaDevice(DeviceName name, int number,
                                                const GpuMemoryLimit& memory);
// Forgets which GPUs there are: for tests, whose machine changes under the process.
void LookForCudaGpusAgain();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CUDA_CUDA_DEVICE_H_
