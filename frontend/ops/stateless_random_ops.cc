// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/stateless_random_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output StatelessMultinomial(ScopeRef scope, const Input& logits, const Input& num_samples,
    const Input& seed, const StatelessMultinomialAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessMultinomial", {logits, num_samples, seed},
      attrs);
}

Output StatelessParameterizedTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& means, const Input& stddevs, const Input& minvals, const Input& maxvals) {
  return BuildOutput(
      scope.scope(), "StatelessParameterizedTruncatedNormal", {shape, seed, means, stddevs, minvals,
          maxvals},
      OpAttrs());
}

Output StatelessRandomBinomial(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& counts, const Input& probs, const StatelessRandomBinomialAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomBinomial", {shape, seed, counts, probs},
      attrs);
}

Output StatelessRandomGammaV2(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& alpha) {
  return BuildOutput(
      scope.scope(), "StatelessRandomGammaV2", {shape, seed, alpha},
      OpAttrs());
}

Output StatelessRandomNormal(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessRandomNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomNormal", {shape, seed},
      attrs);
}

Output StatelessRandomPoisson(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& lam, DType dtype) {
  return BuildOutput(
      scope.scope(), "StatelessRandomPoisson", {shape, seed, lam},
      OpAttrs()
          .Set("dtype", dtype));
}

Output StatelessRandomUniform(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessRandomUniformAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomUniform", {shape, seed},
      attrs);
}

Output StatelessRandomUniformFullInt(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessRandomUniformFullIntAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomUniformFullInt", {shape, seed},
      attrs);
}

Output StatelessRandomUniformInt(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& minval, const Input& maxval) {
  return BuildOutput(
      scope.scope(), "StatelessRandomUniformInt", {shape, seed, minval, maxval},
      OpAttrs());
}

Output StatelessTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessTruncatedNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessTruncatedNormal", {shape, seed},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
