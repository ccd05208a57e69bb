// GpuPlatform: how real GPUs are found, in builds that have them.
//
// The CUDA device registers a platform: before main where it is linked, or when the plug-in that
// has it is opened (gpu_plugin.h). A build without CUDA has none, and everything above this seam is
// the same in both.
//
//   if (const GpuPlatform* gpus = RegisteredGpuPlatform()) {
//     WB_ASSIGN_OR_RETURN(int count, gpus->count());
//     WB_ASSIGN_OR_RETURN(auto device, gpus->create(DeviceName::Local(DeviceType::kGpu, 0), 0, 1));
//   }
//
// Ownership: a platform is a static object. Thread safety: any thread, but for registration, which
// is done before a session is made. Errors: UNAVAILABLE when the driver is missing or refuses.
#ifndef WARPBEAM_RUNTIME_DEVICE_GPU_PLATFORM_H_
#define WARPBEAM_RUNTIME_DEVICE_GPU_PLATFORM_H_

#include <memory>

#include "runtime/device/device.h"

namespace warpbeam {

struct GpuPlatform {
  const char* name;
  // Physical GPUs of this machine; 0 where there is a toolkit but no GPU or driver.
  StatusOr<int> (*count)();
  // A logical device on the physical GPU `ordinal`, which takes at most that fraction of its
  // memory.
  StatusOr<std::unique_ptr<Device>> (*create)(DeviceName name, int ordinal, double memory_fraction);
};

void RegisterGpuPlatform(const GpuPlatform* platform);
// Null without; opens the plug-in, if there is one and nothing has registered itself.
const GpuPlatform* RegisteredGpuPlatform();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_GPU_PLATFORM_H_
