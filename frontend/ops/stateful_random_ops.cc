// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/stateful_random_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output NonDeterministicInts(ScopeRef scope, const Input& shape,
    const NonDeterministicIntsAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "NonDeterministicInts", {shape},
      attrs);
}

Output RngReadAndSkip(ScopeRef scope, const Input& resource, const Input& alg, const Input& delta) {
  return BuildOutput(
      scope.scope(), "RngReadAndSkip", {resource, alg, delta},
      OpAttrs());
}

Operation RngSkip(ScopeRef scope, const Input& resource, const Input& algorithm, const Input& delta) {
  return BuildOp(
      scope.scope(), "RngSkip", {resource, algorithm, delta},
      OpAttrs());
}

Output StatefulRandomBinomial(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const Input& counts, const Input& probs,
    const StatefulRandomBinomialAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatefulRandomBinomial", {resource, algorithm, shape, counts, probs},
      attrs);
}

Output StatefulStandardNormal(ScopeRef scope, const Input& resource, const Input& shape,
    const StatefulStandardNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatefulStandardNormal", {resource, shape},
      attrs);
}

Output StatefulStandardNormalV2(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulStandardNormalV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatefulStandardNormalV2", {resource, algorithm, shape},
      attrs);
}

Output StatefulTruncatedNormal(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulTruncatedNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatefulTruncatedNormal", {resource, algorithm, shape},
      attrs);
}

Output StatefulUniform(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulUniformAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatefulUniform", {resource, algorithm, shape},
      attrs);
}

Output StatefulUniformFullInt(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulUniformFullIntAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatefulUniformFullInt", {resource, algorithm, shape},
      attrs);
}

Output StatefulUniformInt(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const Input& minval, const Input& maxval) {
  return BuildOutput(
      scope.scope(), "StatefulUniformInt", {resource, algorithm, shape, minval, maxval},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
