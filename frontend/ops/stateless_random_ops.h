// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_STATELESS_RANDOM_OPS_H_
#define WARPBEAM_FRONTEND_OPS_STATELESS_RANDOM_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class StatelessMultinomialAttrs : public OpAttrs {
 public:
  StatelessMultinomialAttrs& output_dtype(DType value) {
    Set("output_dtype", value);
    return *this;
  }
};
// (logits: T, num_samples: int32, seed: Tseed) -> (output: output_dtype)
Output StatelessMultinomial(ScopeRef scope, const Input& logits, const Input& num_samples,
    const Input& seed, const StatelessMultinomialAttrs& attrs = StatelessMultinomialAttrs());

// (shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype) -> (output:
//     dtype)
Output StatelessParameterizedTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& means, const Input& stddevs, const Input& minvals, const Input& maxvals);

class StatelessRandomBinomialAttrs : public OpAttrs {
 public:
  StatelessRandomBinomialAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: S, seed: Tseed, counts: T, probs: T) -> (output: dtype)
Output StatelessRandomBinomial(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& counts, const Input& probs,
    const StatelessRandomBinomialAttrs& attrs = StatelessRandomBinomialAttrs());

// (shape: T, seed: Tseed, alpha: dtype) -> (output: dtype)
Output StatelessRandomGammaV2(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& alpha);

class StatelessRandomNormalAttrs : public OpAttrs {
 public:
  StatelessRandomNormalAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: T, seed: Tseed) -> (output: dtype)
Output StatelessRandomNormal(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessRandomNormalAttrs& attrs = StatelessRandomNormalAttrs());

// (shape: T, seed: Tseed, lam: Rtype) -> (output: dtype)
Output StatelessRandomPoisson(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& lam, DType dtype);

class StatelessRandomUniformAttrs : public OpAttrs {
 public:
  StatelessRandomUniformAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: T, seed: Tseed) -> (output: dtype)
Output StatelessRandomUniform(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessRandomUniformAttrs& attrs = StatelessRandomUniformAttrs());

class StatelessRandomUniformFullIntAttrs : public OpAttrs {
 public:
  StatelessRandomUniformFullIntAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: T, seed: Tseed) -> (output: dtype)
Output StatelessRandomUniformFullInt(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessRandomUniformFullIntAttrs& attrs = StatelessRandomUniformFullIntAttrs());

// (shape: T, seed: Tseed, minval: dtype, maxval: dtype) -> (output: dtype)
Output StatelessRandomUniformInt(ScopeRef scope, const Input& shape, const Input& seed,
    const Input& minval, const Input& maxval);

class StatelessTruncatedNormalAttrs : public OpAttrs {
 public:
  StatelessTruncatedNormalAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: T, seed: Tseed) -> (output: dtype)
Output StatelessTruncatedNormal(ScopeRef scope, const Input& shape, const Input& seed,
    const StatelessTruncatedNormalAttrs& attrs = StatelessTruncatedNormalAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_STATELESS_RANDOM_OPS_H_
