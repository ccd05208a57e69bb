#include "frontend/control.h"

#include <map>

#include "frontend/build.h"
#include "frontend/collections.h"

namespace warpbeam {
namespace frontend {
namespace {

Operation GroupOnDevice(const Scope& scope, const std::string& device,
                        const std::vector<Operation>& operations) {
  return NoOp(scope.ControlDependencies(operations).Device(device));
}

}  // namespace

Operation NoOp(ScopeRef scope) { return BuildOp(scope.scope(), "NoOp", {}); }

Operation Group(ScopeRef scope_ref, const std::vector<Operation>& operations) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  const Scope inside = scope.OpenScope("group_deps");
  const Scope whole = inside.Named(inside.name_scope());
  std::map<std::string, std::vector<Operation>> by_device;
  for (const Operation& op : operations) {
    if (op.valid()) by_device[op.device()].push_back(op);
  }
  if (by_device.empty()) return NoOp(whole);
  if (by_device.size() == 1) {
    return GroupOnDevice(whole, by_device.begin()->first, by_device.begin()->second);
  }
  std::vector<Operation> parts;
  for (const auto& entry : by_device) {
    parts.push_back(GroupOnDevice(inside, entry.first, entry.second));
  }
  return NoOp(whole.ControlDependencies(parts));
}

Operation VariablesInitializer(ScopeRef scope_ref, const std::vector<Variable>& variables) {
  const Scope scope = scope_ref.scope();
  std::vector<Operation> initializers;
  for (const Variable& variable : variables) initializers.push_back(variable.initializer());
  return Group(scope.Named(scope.OpNameOr("init")), initializers);
}

Operation GlobalVariablesInitializer(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  return VariablesInitializer(scope, GlobalVariables(scope));
}

}  // namespace frontend
}  // namespace warpbeam
