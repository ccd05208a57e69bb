#include "runtime/executor/kernel_cache.h"

namespace warpbeam {

absl::StatusOr<Kernel*> KernelCache::Get(const Node& node, Device* device,
                                         const KernelServices& services) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (kernels_.size() <= static_cast<size_t>(node.id())) kernels_.resize(node.id() + 1);
  std::unique_ptr<Kernel>& kernel = kernels_[node.id()];
  if (kernel != nullptr) return kernel.get();
  KernelInit init{node.name(),
                  node.op(),
                  node.attrs(),
                  node.input_types(),
                  node.output_types(),
                  device->type(),
                  device,
                  services.resources,
                  services.functions};
  auto made = registry_.Create(init);
  if (!made.ok()) {
    return Annotate(made.status(), absl::StrCat("node '", node.name(), "' (", node.op_name(),
                                                ") on ", device->name().ToString()));
  }
  kernel = *std::move(made);
  return kernel.get();
}

}  // namespace warpbeam
