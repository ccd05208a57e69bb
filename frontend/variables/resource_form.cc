#include "frontend/variables/resource_form.h"

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {

std::string ResourceFormOf(const std::string& op) {
  if (op == "IsVariableInitialized") return "VarIsInitializedOp";
  if (op == "Assign" || op == "AssignAdd" || op == "AssignSub") return op + "VariableOp";
  return "Resource" + op;
}

bool IsResourceVariable(const Scope& scope, const Input& input) {
  const Output& handle = input.reference();
  return handle.valid() && handle.graph() == &scope.state() && handle.dtype() == DType::kResource;
}

Output ReadResource(const Scope& scope, const Output& handle, DType dtype) {
  return scope(BuildOutput(scope.ColocateOnlyWith(handle.op()).Named("ReadVariableOp"),
                           "ReadVariableOp", {handle}, OpAttrs().Set("dtype", dtype)));
}

}  // namespace frontend
}  // namespace warpbeam
