#include "frontend/sparse/sets.h"

#include <string>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace sets {
namespace {

SparseTensor SetOperation(ScopeRef scope, const char* op, const std::vector<ArgumentInput>& inputs,
                          const char* operation, bool validate_indices) {
  const auto out = BuildOutputs(
      scope.scope(), op, inputs,
      OpAttrs().Set("set_operation", operation).Set("validate_indices", validate_indices), 3);
  return {out[0], out[1], out[2]};
}

SparseTensor Combine(ScopeRef scope, const Output& a, const Output& b, const char* operation,
                     bool validate_indices) {
  return SetOperation(scope.scope(), "DenseToDenseSetOperation", {a, b}, operation,
                      validate_indices);
}

SparseTensor Combine(ScopeRef scope, const Output& a, const SparseTensor& b, const char* operation,
                     bool validate_indices) {
  return SetOperation(scope.scope(), "DenseToSparseSetOperation",
                      {a, b.indices, b.values, b.dense_shape}, operation, validate_indices);
}

SparseTensor Combine(ScopeRef scope, const SparseTensor& a, const SparseTensor& b,
                     const char* operation, bool validate_indices) {
  return SetOperation(scope.scope(), "SparseToSparseSetOperation",
                      {a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape},
                      operation, validate_indices);
}

const char* DifferenceOf(bool aminusb) { return aminusb ? "a-b" : "b-a"; }

}  // namespace

Output Size(ScopeRef scope, const SparseTensor& sets, bool validate_indices) {
  return BuildOutput(scope.scope(), "SetSize", {sets.indices, sets.values, sets.dense_shape},
                     OpAttrs().Set("validate_indices", validate_indices));
}

#define WB_SET_OPERATIONS(A, B)                                                              \
  SparseTensor Intersection(ScopeRef scope, const A& a, const B& b, bool validate_indices) { \
    return Combine(scope.scope(), a, b, "intersection", validate_indices);                   \
  }                                                                                          \
  SparseTensor Union(ScopeRef scope, const A& a, const B& b, bool validate_indices) {        \
    return Combine(scope.scope(), a, b, "union", validate_indices);                          \
  }                                                                                          \
  SparseTensor Difference(ScopeRef scope, const A& a, const B& b, bool aminusb,              \
                          bool validate_indices) {                                           \
    return Combine(scope.scope(), a, b, DifferenceOf(aminusb), validate_indices);            \
  }
WB_SET_OPERATIONS(Output, Output)
WB_SET_OPERATIONS(Output, SparseTensor)
WB_SET_OPERATIONS(SparseTensor, SparseTensor)
#undef WB_SET_OPERATIONS

}  // namespace sets
}  // namespace frontend
}  // namespace warpbeam
