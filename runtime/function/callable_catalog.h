// CallableCatalog: the kernels that there are for some devices, and the functions of a graph's
// library as ops.
//
// A node whose op is the name of a library function calls it; such nodes run on the CPU device that
// they are placed on, their body where it asks to.
//
//   CallableCatalog catalog(KernelsFor(*devices), graph->functions());
//
// Ownership: kernels and library must outlive the catalog. Thread safety: const access from many
// threads while the library does not change.
#ifndef WARPBEAM_RUNTIME_FUNCTION_CALLABLE_CATALOG_H_
#define WARPBEAM_RUNTIME_FUNCTION_CALLABLE_CATALOG_H_

#include <string>
#include <vector>

#include "graph/functions/function_library.h"
#include "runtime/device/local/device_set.h"
#include "runtime/kernel/gpu_catalog.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

// What the registry has, and of it for real GPUs what this build has code for.
inline const KernelCatalog& KernelsFor(const DeviceSet& devices) {
  if (devices.gpus_are_simulated()) return KernelRegistry::Global();
  return GpuCatalog::Global();
}

class CallableCatalog final : public KernelCatalog {
 public:
  CallableCatalog(const KernelCatalog& kernels, const FunctionLibrary& library)
      : kernels_(kernels), library_(library) {}

  bool IsCall(absl::string_view op) const {
    return library_.size() > 0 && !kernels_.KnowsOp(op) && library_.Find(op) != nullptr;
  }
  bool Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const override {
    return kernels_.Supports(schema, attrs, type) ||
           (type == DeviceType::kCpu && IsCall(schema.name));
  }
  bool KnowsOp(absl::string_view op) const override { return kernels_.KnowsOp(op) || IsCall(op); }
  std::vector<std::string> Describe(absl::string_view op) const override {
    if (IsCall(op)) return {"CPU: a call of a library function"};
    return kernels_.Describe(op);
  }
  MemoryPlaces Memory(const OpSchema& schema, const AttrMap& attrs,
                      DeviceType type) const override {
    return kernels_.Memory(schema, attrs, type);
  }

 private:
  const KernelCatalog& kernels_;
  const FunctionLibrary& library_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_FUNCTION_CALLABLE_CATALOG_H_
