#include "frontend/training/global_step.h"

#include "frontend/collections.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

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

void AssertGlobalStep(const Scope& scope, const Variable& global_step) {
  if (!scope.ok()) return;
  if (!global_step.valid()) {
    scope.Fail(InvalidArgument("there is no global step"));
  } else if (!IsInteger(global_step.dtype()) || global_step.shape().rank() != 0) {
    scope.Fail(InvalidArgument("the global step '", global_step.name(),
                               "' must be an integer scalar, it is ",
                               DTypeName(global_step.dtype()), global_step.shape().ToString()));
  }
}

StatusOr<int64_t> GlobalStep(ClientSession& session, const Variable& global_step) {
  if (!global_step.valid()) return InvalidArgument("there is no global step");
  WB_ASSIGN_OR_RETURN(const std::vector<Tensor> values, session.Run({global_step.read()}));
  const Tensor& value = values[0];
  if (value.rank() == 0 && value.dtype() == DType::kInt64) return value.scalar<int64_t>();
  if (value.rank() == 0 && value.dtype() == DType::kInt32) return value.scalar<int32_t>();
  return InvalidArgument("the global step '", global_step.name(), "' is no int32 or int64 scalar");
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
