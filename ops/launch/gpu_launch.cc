#include "ops/launch/gpu_launch.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "graph/op/node_types.h"
#include "ops/launch/gpu_function.h"
#include "runtime/device/gpu_platform.h"
#include "runtime/kernel/gpu_catalog.h"

namespace warpbeam {
namespace {

// Initialised at compile time: registrations in other files may run before anything here.
GpuElementwiseEntry* real_elementwise = nullptr;
GpuElementwiseEntry* simulated_elementwise = nullptr;
GpuFunctionEntry* function_entries = nullptr;

GpuElementwiseEntry*& ElementwiseOf(GpuSide side) {
  return side == GpuSide::kReal ? real_elementwise : simulated_elementwise;
}

// Elementwise ops are found by their name, the type of their last input, and, where there are
// functors for several results, that of the result.
bool HasElementwiseCode(const OpSchema& schema, const AttrMap& attrs) {
  const auto inputs = InputTypes(schema, attrs);
  const auto outputs = OutputTypes(schema, attrs);
  if (!inputs.ok() || inputs->empty() || !outputs.ok()) return false;
  for (const GpuElementwiseEntry* e = real_elementwise; e != nullptr; e = e->next) {
    if (e->dtype != inputs->back() || schema.name != e->op) continue;
    if (e->variant == DType::kInvalid ||
        std::find(outputs->begin(), outputs->end(), e->variant) != outputs->end()) {
      return true;
    }
  }
  return false;
}
const GpuCodeRegistration registration(&HasElementwiseCode);

}  // namespace

void RegisterGpuFunction(GpuFunctionEntry* entry) {
  entry->next = function_entries;
  function_entries = entry;
}

GpuFunctionLaunch FindGpuFunction(const char* name) {
  for (const GpuFunctionEntry* e = function_entries; e != nullptr; e = e->next) {
    if (strcmp(e->name, name) == 0) return e->launch;
  }
  return nullptr;
}

void RegisterGpuElementwise(GpuSide side, GpuElementwiseEntry* entry) {
  GpuElementwiseEntry*& entries = ElementwiseOf(side);
  entry->next = entries;
  entries = entry;
}

const GpuElementwiseEntry* GpuElementwiseEntries(GpuSide side) { return ElementwiseOf(side); }

GpuElementwiseLaunch FindGpuElementwise(GpuSide side, const char* op, DType dtype, DType variant) {
  for (const GpuElementwiseEntry* e = ElementwiseOf(side); e != nullptr; e = e->next) {
    if (e->dtype == dtype && e->variant == variant && strcmp(e->op, op) == 0) return e->launch;
  }
  return nullptr;
}

Status GpuStatus(int cuda_error, const std::string& op) {
  if (cuda_error == 0) return OkStatus();
  const GpuPlatform* const platform = RegisteredGpuPlatform();
  const bool is_known = platform != nullptr && platform->error_text != nullptr;
  return Internal(
      "launching ", op, " on the GPU failed: ",
      is_known ? platform->error_text(cuda_error) : absl::StrCat("CUDA error ", cuda_error));
}

}  // namespace warpbeam
