// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/linalg_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output Einsum(ScopeRef scope, const InputList& inputs, const std::string& equation) {
  return BuildOutput(
      scope.scope(), "Einsum", {inputs},
      OpAttrs()
          .Set("equation", equation));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
