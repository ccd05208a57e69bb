#include "runtime/device/gpu_platform.h"

namespace warpbeam {
namespace {

const GpuPlatform* registered = nullptr;  // constant initialisation: set before main

}  // namespace

void RegisterGpuPlatform(const GpuPlatform* platform) { registered = platform; }
const GpuPlatform* RegisteredGpuPlatform() { return registered; }

}  // namespace warpbeam
