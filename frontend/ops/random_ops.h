// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RANDOM_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RANDOM_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class MultinomialAttrs : public OpAttrs {
 public:
  MultinomialAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  MultinomialAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
  MultinomialAttrs& output_dtype(DType value) {
    Set("output_dtype", value);
    return *this;
  }
};
// (logits: T, num_samples: int32) -> (output: output_dtype)
Output Multinomial(ScopeRef scope, const Input& logits, const Input& num_samples,
    const MultinomialAttrs& attrs = MultinomialAttrs());

class ParameterizedTruncatedNormalAttrs : public OpAttrs {
 public:
  ParameterizedTruncatedNormalAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  ParameterizedTruncatedNormalAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype) -> (output: dtype)
Output ParameterizedTruncatedNormal(ScopeRef scope, const Input& shape, const Input& means,
    const Input& stdevs, const Input& minvals, const Input& maxvals,
    const ParameterizedTruncatedNormalAttrs& attrs = ParameterizedTruncatedNormalAttrs());

class RandomGammaAttrs : public OpAttrs {
 public:
  RandomGammaAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomGammaAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: S, alpha: T) -> (output: T)
Output RandomGamma(ScopeRef scope, const Input& shape, const Input& alpha,
    const RandomGammaAttrs& attrs = RandomGammaAttrs());

// (alpha: T, sample: T) -> (output: T)
Output RandomGammaGrad(ScopeRef scope, const Input& alpha, const Input& sample);

class RandomPoissonAttrs : public OpAttrs {
 public:
  RandomPoissonAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomPoissonAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: S, rate: dtype) -> (output: dtype)
// Deprecated: RandomPoissonV2 took its place
Output RandomPoisson(ScopeRef scope, const Input& shape, const Input& rate,
    const RandomPoissonAttrs& attrs = RandomPoissonAttrs());

class RandomPoissonV2Attrs : public OpAttrs {
 public:
  RandomPoissonV2Attrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomPoissonV2Attrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
  RandomPoissonV2Attrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: S, rate: R) -> (output: dtype)
Output RandomPoissonV2(ScopeRef scope, const Input& shape, const Input& rate,
    const RandomPoissonV2Attrs& attrs = RandomPoissonV2Attrs());

class RandomShuffleAttrs : public OpAttrs {
 public:
  RandomShuffleAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomShuffleAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (value: T) -> (output: T)
Output RandomShuffle(ScopeRef scope, const Input& value,
    const RandomShuffleAttrs& attrs = RandomShuffleAttrs());

class RandomStandardNormalAttrs : public OpAttrs {
 public:
  RandomStandardNormalAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomStandardNormalAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: T) -> (output: dtype)
Output RandomStandardNormal(ScopeRef scope, const Input& shape, DType dtype,
    const RandomStandardNormalAttrs& attrs = RandomStandardNormalAttrs());

class RandomUniformAttrs : public OpAttrs {
 public:
  RandomUniformAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomUniformAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: T) -> (output: dtype)
Output RandomUniform(ScopeRef scope, const Input& shape, DType dtype,
    const RandomUniformAttrs& attrs = RandomUniformAttrs());

class RandomUniformIntAttrs : public OpAttrs {
 public:
  RandomUniformIntAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  RandomUniformIntAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: T, minval: Tout, maxval: Tout) -> (output: Tout)
Output RandomUniformInt(ScopeRef scope, const Input& shape, const Input& minval,
    const Input& maxval, const RandomUniformIntAttrs& attrs = RandomUniformIntAttrs());

class TruncatedNormalAttrs : public OpAttrs {
 public:
  TruncatedNormalAttrs& seed(int64_t value) {
    Set("seed", value);
    return *this;
  }
  TruncatedNormalAttrs& seed2(int64_t value) {
    Set("seed2", value);
    return *this;
  }
};
// (shape: T) -> (output: dtype)
Output TruncatedNormal(ScopeRef scope, const Input& shape, DType dtype,
    const TruncatedNormalAttrs& attrs = TruncatedNormalAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RANDOM_OPS_H_
