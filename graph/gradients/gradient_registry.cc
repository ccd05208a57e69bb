#include "graph/gradients/gradient_registry.h"

#include <algorithm>
#include <mutex>

namespace warpbeam {
namespace {

// Registrations that nobody has looked up yet; needs no construction of its own.
struct PendingGradient {
  const char* op;
  GradientFn function;
  const char* reason;
  PendingGradient* next;
};
PendingGradient* g_pending = nullptr;

struct GlobalGradients {
  GradientRegistry registry;
  Status status;
};

void Push(const char* op, GradientFn function, const char* reason) {
  g_pending = new PendingGradient{op, function, reason, g_pending};
}

// Registrations run before main, so the list is complete at the first look-up.
GlobalGradients& GlobalInstance() {
  static GlobalGradients* instance = [] {
    auto* made = new GlobalGradients;
    while (g_pending != nullptr) {
      GradientEntry entry;
      entry.function = g_pending->function;
      entry.not_differentiable = g_pending->reason != nullptr;
      if (entry.not_differentiable) entry.reason = g_pending->reason;
      Status added = made->registry.Register(g_pending->op, std::move(entry));
      if (made->status.ok()) made->status = std::move(added);
      PendingGradient* const next = g_pending->next;
      delete g_pending;
      g_pending = next;
    }
    return made;
  }();
  return *instance;
}

}  // namespace

GradientRegistration::GradientRegistration(const char* op, GradientFn function) {
  Push(op, function, nullptr);
}

GradientRegistration::GradientRegistration(const char* op, const char* reason) {
  Push(op, nullptr, reason);
}

GradientRegistry& GradientRegistry::Global() { return GlobalInstance().registry; }

Status GradientRegistry::GlobalStatus() { return GlobalInstance().status; }

Status GradientRegistry::Register(absl::string_view op, GradientEntry entry) {
  if (entries_.try_emplace(op, std::move(entry)).second) return OkStatus();
  return AlreadyExists("the op '", op, "' has two gradients");
}

const GradientEntry* GradientRegistry::Find(absl::string_view op) const {
  auto it = entries_.find(op);
  return it == entries_.end() ? nullptr : &it->second;
}

std::vector<std::string> GradientRegistry::Ops() const {
  std::vector<std::string> ops;
  for (const auto& entry : entries_) ops.push_back(entry.first);
  std::sort(ops.begin(), ops.end());
  return ops;
}

}  // namespace warpbeam
