// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/script_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

std::vector<Output> PyFunc(ScopeRef scope, const InputList& input, const std::string& token,
    const std::vector<DType>& Tout) {
  return BuildOutputs(
      scope.scope(), "PyFunc", {input},
      OpAttrs()
          .Set("token", token)
          .Set("Tout", Tout));
}

std::vector<Output> PyFuncStateless(ScopeRef scope, const InputList& input,
    const std::string& token, const std::vector<DType>& Tout) {
  return BuildOutputs(
      scope.scope(), "PyFuncStateless", {input},
      OpAttrs()
          .Set("token", token)
          .Set("Tout", Tout));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
