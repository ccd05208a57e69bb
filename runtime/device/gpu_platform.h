// GpuPlatform: how real GPUs are found, in builds that have them.
//
// The CUDA device registers a platform: before main where it is linked, or when the plug-in that
// has it is opened (gpu_plugin.h). A build without CUDA has none, and everything above this seam is
// the same in both.
//
//   if (const GpuPlatform* gpus = RegisteredGpuPlatform()) {
//     WB_ASSIGN_OR_RETURN(int count, gpus->count());
//     const DeviceName name = DeviceName::Local(DeviceType::kGpu, 0);
//     WB_ASSIGN_OR_RETURN(auto device, gpus->create(name, 0, {}));
//   }
//
// Ownership: a platform is a static object. Thread safety: any thread, but for registration, which
// is done before a session is made. Errors: UNAVAILABLE when the driver is missing or refuses a
// device; INTERNAL once a GPU has failed for this process.
#ifndef WARPBEAM_RUNTIME_DEVICE_GPU_PLATFORM_H_
#define WARPBEAM_RUNTIME_DEVICE_GPU_PLATFORM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "runtime/device/device.h"

namespace warpbeam {

// How much of a physical GPU's memory a logical device takes at most.
struct GpuMemoryLimit {
  double fraction = 1;
  int64_t bytes = 0;  // if not 0
};

struct GpuPlatform {
  const char* name;
  // Physical GPUs of this machine; 0 where there is a toolkit but no GPU or driver, or the driver
  // does not work, of which the platform says a line (gpu_warning.h).
  StatusOr<int> (*count)();
  // A logical device on the physical GPU `ordinal`; there may be several.
  StatusOr<std::unique_ptr<Device>> (*create)(DeviceName name, int ordinal,
                                              const GpuMemoryLimit& memory);
  // What a number means that a launch gave: its name and a sentence. Null: nobody knows.
  std::string (*error_text)(int error) = nullptr;
};

void RegisterGpuPlatform(const GpuPlatform* platform);
// Null without; opens the plug-in, if there is one and nothing has registered itself.
const GpuPlatform* RegisteredGpuPlatform();

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_GPU_PLATFORM_H_
