#include "runtime/compile/kernel_cache.h"

#include "graph/types/shown_name.h"
#include "runtime/kernel/function_runner.h"

namespace warpbeam {
namespace {

// The op that calls a library function; nodes that call by their own name are turned into it.
constexpr char kCallOp[] = "StatefulPartitionedCall";

}  // namespace

Status AtNode(const Status& error, const Node& node, const Device* device) {
  return Annotate(ShownStatus(error),
                  absl::StrCat("node '", ShownName(node.name()), "' (", ShownName(node.op_name()),
                               ") on ", device->name().ToString()));
}

StatusOr<std::shared_ptr<Kernel>> StatefulKernels::Get(const Node& node, const Device* device,
                                                       const Make& make) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = kernels_.find(node.name()); found != kernels_.end()) {
    const Entry& entry = found->second;
    if (entry.device == device && *entry.signature == *node.signature()) return entry.kernel;
    return make();
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<Kernel> kernel, make());
  kernels_[node.name()] = {kernel, device, node.signature()};
  return kernel;
}

bool KernelCache::IsCall(const Node& node, const KernelServices& services) const {
  return services.functions != nullptr && !registry_.KnowsOp(node.op_name()) &&
         services.functions->library().Find(node.op_name()) != nullptr;
}

StatusOr<std::unique_ptr<Kernel>> KernelCache::CreateCall(const KernelInit& init) const {
  AttrMap attrs;
  attrs.Set("Tin", init.input_types);
  attrs.Set("Tout", init.output_types);
  attrs.Set("f", FunctionRef{init.schema.name, init.attrs});
  WB_ASSIGN_OR_RETURN(const OpSchema* schema, OpRegistry::Global().Get(kCallOp));
  KernelInit call{init.node_name,   *schema,           attrs,
                  init.input_types, init.output_types, init.device_type,
                  init.device,      init.resources,    init.functions};
  return registry_.Create(call);
}

StatusOr<std::unique_ptr<Kernel>> KernelCache::Make(const Node& node, Device* device,
                                                    const KernelServices& services) const {
  return Make(node, device, services, IsCall(node, services));
}

StatusOr<std::unique_ptr<Kernel>> KernelCache::Make(const Node& node, Device* device,
                                                    const KernelServices& services,
                                                    bool is_call) const {
  KernelInit init{node.name(),         node.op(),      node.attrs(), node.input_types(),
                  node.output_types(), device->type(), device,       services.resources,
                  services.functions};
  const Status allowed = services.allow.Check(node.op());
  if (!allowed.ok()) return AtNode(allowed, node, device);
  auto made = is_call ? CreateCall(init) : registry_.Create(init);
  if (made.ok()) return made;
  return AtNode(made.status(), node, device);
}

void KernelCache::Reserve(int num_nodes) {
  std::lock_guard<std::mutex> lock(mutex_);
  kernels_.reserve(num_nodes);
}

StatusOr<Kernel*> KernelCache::Get(const Node& node, Device* device,
                                   const KernelServices& services) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (kernels_.size() <= static_cast<size_t>(node.id())) kernels_.resize(node.id() + 1);
  Entry& entry = kernels_[node.id()];
  if (entry.kernel != nullptr && entry.signature != node.signature() &&
      !(*entry.signature == *node.signature())) {
    // A gradient, say, has widened the node; plans that were made before go on with the old kernel.
    outgrown_.push_back(std::move(entry.kernel));
  }
  if (entry.kernel == nullptr) {
    const bool is_known = known_ops_.contains(&node.op());
    if (!is_known && registry_.KnowsOp(node.op_name())) known_ops_.insert(&node.op());
    const auto make = [&] {
      return Make(node, device, services, !is_known && IsCall(node, services));
    };
    if (stateful_ != nullptr && node.op().is_stateful) {
      WB_ASSIGN_OR_RETURN(entry.kernel, stateful_->Get(node, device, make));
    } else {
      WB_ASSIGN_OR_RETURN(entry.kernel, make());
    }
    entry.signature = node.signature();
  }
  return entry.kernel.get();
}

}  // namespace warpbeam
