// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/bitwise_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output BitwiseAnd(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "BitwiseAnd", {x, y},
      OpAttrs());
}

Output BitwiseOr(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "BitwiseOr", {x, y},
      OpAttrs());
}

Output BitwiseXor(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "BitwiseXor", {x, y},
      OpAttrs());
}

Output Invert(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Invert", {x},
      OpAttrs());
}

Output LeftShift(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "LeftShift", {x, y},
      OpAttrs());
}

Output PopulationCount(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "PopulationCount", {x},
      OpAttrs());
}

Output RightShift(ScopeRef scope, const Input& x, const Input& y) {
  return BuildOutput(
      scope.scope(), "RightShift", {x, y},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
