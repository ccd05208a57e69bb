// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/training_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output ApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta, const ApplyGradientDescentAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ApplyGradientDescent", {var, alpha, delta},
      attrs);
}

Operation ResourceApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta, const ResourceApplyGradientDescentAttrs& attrs) {
  return BuildOp(
      scope.scope(), "ResourceApplyGradientDescent", {var, alpha, delta},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
