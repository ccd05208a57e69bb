// GpuCatalog: the kernels of the registry, as GPUs have them that run code of their own only.
//
// A declaration says on which devices TensorFlow has a kernel, and simulated GPUs have them all.
// What runs on a real GPU is what this build has compiled for it; soft placement sends the rest to
// the CPU and says so in its report. A kernel that only hands on what it is given, or whose
// arguments all lie in host memory, needs no code.
//
//   const KernelCatalog& kernels = KernelsFor(*devices);   // runtime/function/callable_catalog.h
//
// Code that belongs to many ops is looked up through sources, which register themselves before
// main.
//
// Ownership: the registry outlives the catalog. Thread safety: const access from many threads.
#ifndef WARPBEAM_RUNTIME_KERNEL_GPU_CATALOG_H_
#define WARPBEAM_RUNTIME_KERNEL_GPU_CATALOG_H_

#include <string>
#include <vector>

#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

// Whether a kernel touches no memory of its device: it only hands on what it is given, or its
// outputs lie in host memory and so do its inputs, but for those of which it reads the shape.
bool TouchesNoDeviceMemory(const OpSchema& schema, bool inputs_on_host, bool outputs_on_host);

// Whether there is GPU code for a node of `schema`, which is declared for GPUs, with `attrs`.
using GpuCodeSource = bool (*)(const OpSchema& schema, const AttrMap& attrs);
struct GpuCodeRegistration {
  explicit GpuCodeRegistration(GpuCodeSource source);
};

class GpuCatalog final : public KernelCatalog {
 public:
  explicit GpuCatalog(const KernelRegistry& registry) : registry_(registry) {}
  static const GpuCatalog& Global();

  bool Supports(const OpSchema& schema, const AttrMap& attrs, DeviceType type) const override;
  bool KnowsOp(absl::string_view op) const override { return registry_.KnowsOp(op); }
  std::vector<std::string> Describe(absl::string_view op) const override;
  MemoryPlaces Memory(const OpSchema& schema, const AttrMap& attrs,
                      DeviceType type) const override {
    return registry_.Memory(schema, attrs, type);
  }

 private:
  const KernelRegistry& registry_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_GPU_CATALOG_H_
