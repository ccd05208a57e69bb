// DeclaredKernels: how the kernels of a plan's nodes are declared.
//
//   DeclaredKernels declared(KernelRegistry::Global());
//   const KernelDecl* decl = declared.Find(node, DeviceType::kCpu);    // null where there is none
//
// The registry is asked once for all nodes of a signature. Ownership: nodes that were asked for and
// the registry outlive it. Thread safety: none. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_DECLARED_KERNELS_H_
#define WARPBEAM_RUNTIME_COMPILE_DECLARED_KERNELS_H_

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "graph/graph.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

class DeclaredKernels {
 public:
  explicit DeclaredKernels(const KernelRegistry& registry) : registry_(registry) {}

  const KernelDecl* Find(const Node& node, DeviceType type) {
    const auto [it, added] =
        known_.try_emplace(std::make_pair(node.signature().get(), type), nullptr);
    if (added) it->second = registry_.Find(node.op_name(), node.attrs(), type);
    return it->second;
  }

 private:
  const KernelRegistry& registry_;
  absl::flat_hash_map<std::pair<const NodeSignature*, DeviceType>, const KernelDecl*> known_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_DECLARED_KERNELS_H_
