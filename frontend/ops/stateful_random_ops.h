// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_STATEFUL_RANDOM_OPS_H_
#define WARPBEAM_FRONTEND_OPS_STATEFUL_RANDOM_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class NonDeterministicIntsAttrs : public OpAttrs {
 public:
  NonDeterministicIntsAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: shape_dtype) -> (output: dtype)
Output NonDeterministicInts(ScopeRef scope, const Input& shape,
    const NonDeterministicIntsAttrs& attrs = NonDeterministicIntsAttrs());

// (resource: resource, alg: int32, delta: uint64) -> (value: int64)
Output RngReadAndSkip(ScopeRef scope, const Input& resource, const Input& alg, const Input& delta);

// (resource: resource, algorithm: int64, delta: int64) -> ()
Operation RngSkip(ScopeRef scope, const Input& resource, const Input& algorithm, const Input& delta);

class StatefulRandomBinomialAttrs : public OpAttrs {
 public:
  StatefulRandomBinomialAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (resource: resource, algorithm: int64, shape: S, counts: T, probs: T) -> (output: dtype)
Output StatefulRandomBinomial(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const Input& counts, const Input& probs,
    const StatefulRandomBinomialAttrs& attrs = StatefulRandomBinomialAttrs());

class StatefulStandardNormalAttrs : public OpAttrs {
 public:
  StatefulStandardNormalAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (resource: resource, shape: shape_dtype) -> (output: dtype)
// Deprecated: use StatefulStandardNormalV2
Output StatefulStandardNormal(ScopeRef scope, const Input& resource, const Input& shape,
    const StatefulStandardNormalAttrs& attrs = StatefulStandardNormalAttrs());

class StatefulStandardNormalV2Attrs : public OpAttrs {
 public:
  StatefulStandardNormalV2Attrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
Output StatefulStandardNormalV2(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulStandardNormalV2Attrs& attrs = StatefulStandardNormalV2Attrs());

class StatefulTruncatedNormalAttrs : public OpAttrs {
 public:
  StatefulTruncatedNormalAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
Output StatefulTruncatedNormal(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulTruncatedNormalAttrs& attrs = StatefulTruncatedNormalAttrs());

class StatefulUniformAttrs : public OpAttrs {
 public:
  StatefulUniformAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
Output StatefulUniform(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulUniformAttrs& attrs = StatefulUniformAttrs());

class StatefulUniformFullIntAttrs : public OpAttrs {
 public:
  StatefulUniformFullIntAttrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (resource: resource, algorithm: int64, shape: shape_dtype) -> (output: dtype)
Output StatefulUniformFullInt(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const StatefulUniformFullIntAttrs& attrs = StatefulUniformFullIntAttrs());

// (resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype) ->
//     (output: dtype)
Output StatefulUniformInt(ScopeRef scope, const Input& resource, const Input& algorithm,
    const Input& shape, const Input& minval, const Input& maxval);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_STATEFUL_RANDOM_OPS_H_
