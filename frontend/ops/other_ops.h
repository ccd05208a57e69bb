// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_OTHER_OPS_H_
#define WARPBEAM_FRONTEND_OPS_OTHER_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (resource: resource) -> ()
Operation ResourceCreateOp(ScopeRef scope, const Input& resource);

// (resource: resource) -> (initialized: bool)
Output ResourceInitializedOp(ScopeRef scope, const Input& resource);

// (resource: resource) -> ()
Operation ResourceUsingOp(ScopeRef scope, const Input& resource);

// (shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype) -> (output: dtype)
Output StatelessRandomGammaV3(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const Input& alpha);

// () -> (alg: int32)
Output StatelessRandomGetAlg(ScopeRef scope);

struct StatelessRandomGetKeyCounterOutputs {
  Output key;
  Output counter;
  Operation op;
};
// (seed: Tseed) -> (key: uint64, counter: uint64)
StatelessRandomGetKeyCounterOutputs StatelessRandomGetKeyCounter(ScopeRef scope, const Input& seed);

struct StatelessRandomGetKeyCounterAlgOutputs {
  Output key;
  Output counter;
  Output alg;
  Operation op;
};
// (seed: Tseed) -> (key: uint64, counter: uint64, alg: int32)
StatelessRandomGetKeyCounterAlgOutputs StatelessRandomGetKeyCounterAlg(ScopeRef scope,
    const Input& seed);

class StatelessRandomNormalV2Attrs : public OpAttrs {
 public:
  StatelessRandomNormalV2Attrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
Output StatelessRandomNormalV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg,
    const StatelessRandomNormalV2Attrs& attrs = StatelessRandomNormalV2Attrs());

class StatelessRandomUniformFullIntV2Attrs : public OpAttrs {
 public:
  StatelessRandomUniformFullIntV2Attrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
Output StatelessRandomUniformFullIntV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg,
    const StatelessRandomUniformFullIntV2Attrs& attrs = StatelessRandomUniformFullIntV2Attrs());

// (shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype) ->
//     (output: dtype)
Output StatelessRandomUniformIntV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg, const Input& minval, const Input& maxval);

class StatelessRandomUniformV2Attrs : public OpAttrs {
 public:
  StatelessRandomUniformV2Attrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
Output StatelessRandomUniformV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg,
    const StatelessRandomUniformV2Attrs& attrs = StatelessRandomUniformV2Attrs());

// (value: T, key: uint64, counter: uint64, alg: int32) -> (output: T)
Output StatelessShuffle(ScopeRef scope, const Input& value, const Input& key, const Input& counter,
    const Input& alg);

class StatelessTruncatedNormalV2Attrs : public OpAttrs {
 public:
  StatelessTruncatedNormalV2Attrs& dtype(DType value) {
    Set("dtype", value);
    return *this;
  }
};
// (shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype)
Output StatelessTruncatedNormalV2(ScopeRef scope, const Input& shape, const Input& key,
    const Input& counter, const Input& alg,
    const StatelessTruncatedNormalV2Attrs& attrs = StatelessTruncatedNormalV2Attrs());

class StubResourceHandleOpAttrs : public OpAttrs {
 public:
  StubResourceHandleOpAttrs& container(const std::string& value) {
    Set("container", value);
    return *this;
  }
  StubResourceHandleOpAttrs& shared_name(const std::string& value) {
    Set("shared_name", value);
    return *this;
  }
};
// () -> (resource: resource)
Output StubResourceHandleOp(ScopeRef scope,
    const StubResourceHandleOpAttrs& attrs = StubResourceHandleOpAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_OTHER_OPS_H_
