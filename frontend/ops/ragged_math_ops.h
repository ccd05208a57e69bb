// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_RAGGED_MATH_OPS_H_
#define WARPBEAM_FRONTEND_OPS_RAGGED_MATH_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class RaggedRangeAttrs : public OpAttrs {
 public:
  RaggedRangeAttrs& Tsplits(DType value) {
    Set("Tsplits", value);
    return *this;
  }
};
struct RaggedRangeOutputs {
  Output rt_nested_splits;
  Output rt_dense_values;
  Operation op;
};
// (starts: T, limits: T, deltas: T) -> (rt_nested_splits: Tsplits, rt_dense_values: T)
RaggedRangeOutputs RaggedRange(ScopeRef scope, const Input& starts, const Input& limits,
    const Input& deltas, const RaggedRangeAttrs& attrs = RaggedRangeAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_RAGGED_MATH_OPS_H_
