#include "frontend/training/global_step.h"

#include "frontend/collections.h"
#include "frontend/variables/variable_scope.h"

namespace warpbeam {
namespace frontend {
namespace train {

Variable GetGlobalStep(const Scope& scope) {
  const std::vector<Variable> steps = GetVariables(scope, GraphKeys::kGlobalStep);
  return steps.empty() ? Variable() : steps[0];
}

Variable CreateGlobalStep(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  const Variable present = GetGlobalStep(scope);
  if (present.valid()) {
    scope.Fail(AlreadyExists("the graph has the global step '", present.name(), "' already"));
    return Variable();
  }
  const GetVariableOptions options =
      GetVariableOptions()
          .dtype(DType::kInt64)
          .initializer(ZerosInitializer())
          .trainable(false)
          .collections({GraphKeys::kGlobalVariables, GraphKeys::kGlobalStep});
  return GetVariable(scope.NoControlDependencies(), "global_step", Shape(), options);
}

Variable GetOrCreateGlobalStep(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  const Variable present = GetGlobalStep(scope);
  return present.valid() ? present : CreateGlobalStep(scope);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
