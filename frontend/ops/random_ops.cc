// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/random_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output Multinomial(ScopeRef scope, const Input& logits, const Input& num_samples,
    const MultinomialAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Multinomial", {logits, num_samples},
      attrs);
}

Output ParameterizedTruncatedNormal(ScopeRef scope, const Input& shape, const Input& means,
    const Input& stdevs, const Input& minvals, const Input& maxvals,
    const ParameterizedTruncatedNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "ParameterizedTruncatedNormal", {shape, means, stdevs, minvals, maxvals},
      attrs);
}

Output RandomGamma(ScopeRef scope, const Input& shape, const Input& alpha,
    const RandomGammaAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomGamma", {shape, alpha},
      attrs);
}

Output RandomGammaGrad(ScopeRef scope, const Input& alpha, const Input& sample) {
  return BuildOutput(
      scope.scope(), "RandomGammaGrad", {alpha, sample},
      OpAttrs());
}

Output RandomPoisson(ScopeRef scope, const Input& shape, const Input& rate,
    const RandomPoissonAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomPoisson", {shape, rate},
      attrs);
}

Output RandomPoissonV2(ScopeRef scope, const Input& shape, const Input& rate,
    const RandomPoissonV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomPoissonV2", {shape, rate},
      attrs);
}

Output RandomShuffle(ScopeRef scope, const Input& value, const RandomShuffleAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomShuffle", {value},
      attrs);
}

Output RandomStandardNormal(ScopeRef scope, const Input& shape, DType dtype,
    const RandomStandardNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomStandardNormal", {shape},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

Output RandomUniform(ScopeRef scope, const Input& shape, DType dtype,
    const RandomUniformAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomUniform", {shape},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

Output RandomUniformInt(ScopeRef scope, const Input& shape, const Input& minval,
    const Input& maxval, const RandomUniformIntAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RandomUniformInt", {shape, minval, maxval},
      attrs);
}

Output TruncatedNormal(ScopeRef scope, const Input& shape, DType dtype,
    const TruncatedNormalAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "TruncatedNormal", {shape},
      OpAttrs(attrs)
          .Set("dtype", dtype));
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
