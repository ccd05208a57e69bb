// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/other_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation ResourceCreateOp(ScopeRef scope, const Input& resource) {
  return BuildOp(
      scope.scope(), "ResourceCreateOp", {resource},
      OpAttrs());
}

Output ResourceInitializedOp(ScopeRef scope, const Input& resource) {
  return BuildOutput(
      scope.scope(), "ResourceInitializedOp", {resource},
      OpAttrs());
}

Operation ResourceUsingOp(ScopeRef scope, const Input& resource) {
  return BuildOp(
      scope.scope(), "ResourceUsingOp", {resource},
      OpAttrs());
}

Output StatelessRandomGammaV3(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const Input& alpha) {
  return BuildOutput(
      scope.scope(), "StatelessRandomGammaV3", {shape, key, counter, alg, alpha},
      OpAttrs());
}

Output StatelessRandomGetAlg(ScopeRef scope) {
  return BuildOutput(
      scope.scope(), "StatelessRandomGetAlg", {},
      OpAttrs());
}

StatelessRandomGetKeyCounterOutputs StatelessRandomGetKeyCounter(ScopeRef scope, const Input& seed) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "StatelessRandomGetKeyCounter", {seed},
      OpAttrs());
  StatelessRandomGetKeyCounterOutputs outputs;
  outputs.key = OutputOf(here, built, "key");
  outputs.counter = OutputOf(here, built, "counter");
  outputs.op = built;
  return outputs;
}

StatelessRandomGetKeyCounterAlgOutputs StatelessRandomGetKeyCounterAlg(ScopeRef scope,
    const Input& seed) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "StatelessRandomGetKeyCounterAlg", {seed},
      OpAttrs());
  StatelessRandomGetKeyCounterAlgOutputs outputs;
  outputs.key = OutputOf(here, built, "key");
  outputs.counter = OutputOf(here, built, "counter");
  outputs.alg = OutputOf(here, built, "alg");
  outputs.op = built;
  return outputs;
}

Output StatelessRandomNormalV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const StatelessRandomNormalV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomNormalV2", {shape, key, counter, alg},
      attrs);
}

Output StatelessRandomUniformFullIntV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const StatelessRandomUniformFullIntV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomUniformFullIntV2", {shape, key, counter, alg},
      attrs);
}

Output StatelessRandomUniformIntV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const Input& minval, const Input& maxval) {
  return BuildOutput(
      scope.scope(), "StatelessRandomUniformIntV2", {shape, key, counter, alg, minval, maxval},
      OpAttrs());
}

Output StatelessRandomUniformV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const StatelessRandomUniformV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessRandomUniformV2", {shape, key, counter, alg},
      attrs);
}

Output StatelessShuffle(ScopeRef scope, const Input& value, const Input& key, const Input& counter,
    const Input& alg) {
  return BuildOutput(
      scope.scope(), "StatelessShuffle", {value, key, counter, alg},
      OpAttrs());
}

Output StatelessTruncatedNormalV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const StatelessTruncatedNormalV2Attrs& attrs) {
  return BuildOutput(
      scope.scope(), "StatelessTruncatedNormalV2", {shape, key, counter, alg},
      attrs);
}

Output StubResourceHandleOp(ScopeRef scope, const StubResourceHandleOpAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "StubResourceHandleOp", {},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
