#include "runtime/device/gpu_platform.h"

#include <atomic>

#include "runtime/device/gpu_plugin.h"

namespace warpbeam {
namespace {

// Constant initialisation: may be set before main, or while the plug-in is opened.
std::atomic<const GpuPlatform*> registered{nullptr};

}  // namespace

void RegisterGpuPlatform(const GpuPlatform* platform) { registered = platform; }

const GpuPlatform* RegisteredGpuPlatform() {
  if (registered == nullptr) OpenGpuPlugin();
  return registered;
}

}  // namespace warpbeam
