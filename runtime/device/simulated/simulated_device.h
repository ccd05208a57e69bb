// The simulated GPU: a device with memory and streams of its own, without hardware.
//
// It makes placement, copies, stream order and reductions across GPUs testable on any machine. Its
// memory is one anonymous file mapped twice: tensors carry addresses of a mapping that nobody may
// touch, kernels get the writable twin, so host code that reads or writes device memory by mistake
// faults at once in every build. Kernels are the CPU's, which are faster here, or with
// `gpu_kernels` those written for GPUs; they run one after the other on the thread of the compute
// stream.
//
// With `enqueues`, kernels are launched as on a real GPU: a launch thread enqueues them and goes
// on, long before they run, and their memory is let go and given out again in the order of the
// launches. What misses a wait between streams then computes with other values, or is a data race.
//
//   WB_ASSIGN_OR_RETURN(auto gpu, NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0),
//                                                    {.memory = 1 << 28}));
//   void* writable = gpu->ToKernelAddress(tensor.raw_data());
//
// ToKernelAddress and ToTensorAddress leave addresses that are not (or no longer) theirs alone.
// Ownership, thread safety: as Device. Errors: RESOURCE_EXHAUSTED when the mapping cannot be had.
#ifndef WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_DEVICE_H_
#define WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_DEVICE_H_

#include <memory>

#include "runtime/device/device.h"

namespace warpbeam {

struct SimulatedDeviceOptions {
  int64_t memory = int64_t{1} << 30;  // bytes; pages are taken when first used
  bool enqueues = false;              // ExecutionModel::kEnqueues, else kOnStream
  bool gpu_kernels = false;           // Device::runs_gpu_kernels
};

StatusOr<std::unique_ptr<Device>> NewSimulatedDevice(DeviceName name,
                                                     const SimulatedDeviceOptions& options);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_SIMULATED_SIMULATED_DEVICE_H_
