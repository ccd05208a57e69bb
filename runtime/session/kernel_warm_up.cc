#include "runtime/session/kernel_warm_up.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

using Entry = std::pair<const OpSchema*, KernelWarmUpFunction>;

// The few ops that have something to warm up.
const std::vector<Entry>& Entries() {
  static const auto* const entries = [] {
    auto* found = new std::vector<Entry>;
    for (const KernelDecl* decl : KernelRegistry::Global().All()) {
      if (decl->warm_up == nullptr) continue;
      found->emplace_back(OpRegistry::Global().Find(decl->op), decl->warm_up);
    }
    return found;
  }();
  return *entries;
}

// Whether the caller is the first of the process.
bool IsFirst(KernelWarmUpFunction function) {
  static std::mutex mutex;
  static auto* const begun = new std::set<KernelWarmUpFunction>;
  const std::lock_guard<std::mutex> lock(mutex);
  return begun->insert(function).second;
}

}  // namespace

KernelWarmUp::~KernelWarmUp() {
  for (std::thread& thread : threads_) thread.join();
}

void KernelWarmUp::Begin(const Graph& graph, int first_node) {
  std::set<KernelWarmUpFunction> wanted;
  const std::vector<Entry>& entries = Entries();
  for (int id = first_node; id < graph.num_nodes(); ++id) {
    const OpSchema* const op = &graph.node(id).op();
    for (const Entry& entry : entries) {
      if (entry.first == op) wanted.insert(entry.second);
    }
  }
  for (const auto& [name, function] : graph.functions().functions()) {
    for (const NodeSpec& node : function->nodes) {
      for (const Entry& entry : entries) {
        if (entry.first->name == node.op) wanted.insert(entry.second);
      }
    }
  }
  for (KernelWarmUpFunction function : wanted) {
    if (IsFirst(function)) threads_.emplace_back(function);
  }
}

}  // namespace warpbeam
