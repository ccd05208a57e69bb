// The cpu device: kernels run on the threads of a WorkerPool, tensors live in pooled host memory.
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<CpuDevice> cpu,
//                       NewCpuDevice(DeviceName::Local(DeviceType::kCpu, 0), /*threads=*/2));
//
// A process with several cpu devices gives each its share of the cores. Thread safety: as Device.
// Errors: RESOURCE_EXHAUSTED where the system gives fewer threads.
#ifndef WARPBEAM_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_
#define WARPBEAM_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_

#include <memory>

#include "runtime/device/cpu/worker_pool.h"
#include "runtime/device/device.h"

namespace warpbeam {

class CpuDevice : public Device {
 public:
  // The threads that run this device's tasks and loops.
  virtual WorkerPool& workers() = 0;
};

// Devices of one team lend each other the threads that have nothing to do.
StatusOr<std::unique_ptr<CpuDevice>> NewCpuDevice(DeviceName name, int threads,
                                                  std::shared_ptr<WorkerTeam> team = nullptr);

// Cores that this process may run on.
int NumCores();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_CPU_CPU_DEVICE_H_
