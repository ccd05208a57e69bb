// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/manip_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output Roll(ScopeRef scope, const Input& input, const Input& shift, const Input& axis) {
  return BuildOutput(
      scope.scope(), "Roll", {input, shift, axis},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
