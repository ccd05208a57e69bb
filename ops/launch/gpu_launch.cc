#include "ops/launch/gpu_launch.h"

#include <cstring>

namespace warpbeam {
namespace {

// Initialised at compile time: registrations in other files may run before anything here.
GpuElementwiseEntry* elementwise_entries = nullptr;

}  // namespace

void RegisterGpuElementwise(GpuElementwiseEntry* entry) {
  entry->next = elementwise_entries;
  elementwise_entries = entry;
}

GpuElementwiseLaunch FindGpuElementwise(const char* op, DType dtype, DType variant) {
  for (const GpuElementwiseEntry* e = elementwise_entries; e != nullptr; e = e->next) {
    if (e->dtype == dtype && e->variant == variant && strcmp(e->op, op) == 0) return e->launch;
  }
  return nullptr;
}

absl::Status GpuStatus(int cuda_error, const std::string& op) {
  if (cuda_error == 0) return absl::OkStatus();
  return Internal("launching ", op, " on the GPU failed: CUDA error ", cuda_error);
}

}  // namespace warpbeam
