// KernelCache: the kernels of one placed graph, each built when a plan first needs it.
//
// A node has one kernel however many plans run it, since kernels may carry state (a random stream,
// a variable's handle). The cache is indexed by node id, so it serves one graph.
//
//   WB_ASSIGN_OR_RETURN(Kernel * k, cache.Get(graph.node(id), device, services));
//
// Ownership: the cache owns kernels; plans point at them. Thread safety: any thread. Errors: those
// of the kernel's Create, and PERMISSION_DENIED for an op that may not run here, with node, op and
// device in front.
#ifndef WARPBEAM_RUNTIME_COMPILE_KERNEL_CACHE_H_
#define WARPBEAM_RUNTIME_COMPILE_KERNEL_CACHE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "runtime/device/device.h"
#include "runtime/kernel/capability_set.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {

// What kernels may call on.
struct KernelServices {
  ResourceStore* resources = nullptr;
  FunctionRunner* functions = nullptr;
  CapabilitySet allow = CapabilitySet::All();  // other nodes get no kernel
};

// An error of a node's kernel, cut as all messages are, with node, op and device in front.
Status AtNode(const Status& error, const Node& node, const Device* device);

// Kernels that carry state, by the names of their nodes: what caches of several graphs have in
// common that hold the same nodes, as the graphs do that a master registers for one session. A node
// that differs from its namesake gets a kernel of its own.
//
// Ownership: shared with the caches. Thread safety: any thread.
class StatefulKernels {
 public:
  using Make = std::function<StatusOr<std::unique_ptr<Kernel>>()>;
  StatusOr<std::shared_ptr<Kernel>> Get(const Node& node, const Device* device, const Make& make);

 private:
  struct Entry {
    std::shared_ptr<Kernel> kernel;
    const Device* device;
    std::shared_ptr<const NodeSignature> signature;
  };
  std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> kernels_;
};

class KernelCache {
 public:
  // `stateful` may be null: all kernels are this cache's own.
  explicit KernelCache(const KernelRegistry& registry = KernelRegistry::Global(),
                       std::shared_ptr<StatefulKernels> stateful = nullptr)
      : registry_(registry), stateful_(std::move(stateful)) {}
  // Makes room for the kernels of so many nodes.
  void Reserve(int num_nodes);
  StatusOr<Kernel*> Get(const Node& node, Device* device, const KernelServices& services);
  // A kernel of its own for a node that is not the graph's, such as one that a pass replaced.
  StatusOr<std::unique_ptr<Kernel>> Make(const Node& node, Device* device,
                                         const KernelServices& services) const;
  const KernelRegistry& registry() const { return registry_; }

 private:
  StatusOr<std::unique_ptr<Kernel>> Make(const Node& node, Device* device,
                                         const KernelServices& services, bool is_call) const;
  bool IsCall(const Node& node, const KernelServices& services) const;
  StatusOr<std::unique_ptr<Kernel>> CreateCall(const KernelInit& init) const;

  struct Entry {
    std::shared_ptr<Kernel> kernel;
    std::shared_ptr<const NodeSignature> signature;  // of the node, when the kernel was made
  };

  const KernelRegistry& registry_;
  const std::shared_ptr<StatefulKernels> stateful_;
  std::mutex mutex_;
  std::vector<Entry> kernels_;  // by node
  std::vector<std::shared_ptr<Kernel>> outgrown_;
  absl::flat_hash_set<const OpSchema*> known_ops_;  // have kernels, and so are no functions
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_KERNEL_CACHE_H_
