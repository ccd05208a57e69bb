#include "frontend/differentiation/gradient_override.h"

#include <utility>

#include "frontend/graph_state.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

void RegisterGradient(ScopeRef scope_ref, const std::string& name, OpGradient gradient) {
  const Scope scope = scope_ref.scope();
  if (gradient == nullptr || name.empty()) {
    scope.Fail(InvalidArgument("RegisterGradient: the ", name.empty() ? "name" : "function of '",
                               name, name.empty() ? " is empty" : "' is empty"));
    return;
  }
  const bool is_new = scope.state().gradients().emplace(name, std::move(gradient)).second;
  if (!is_new) scope.Fail(AlreadyExists("the gradient '", name, "' has been registered before"));
}

}  // namespace frontend
}  // namespace warpbeam
