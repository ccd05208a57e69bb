// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/ragged_math_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

RaggedRangeOutputs RaggedRange(ScopeRef scope, const Input& starts, const Input& limits,
    const Input& deltas, const RaggedRangeAttrs& attrs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "RaggedRange", {starts, limits, deltas},
      attrs);
  RaggedRangeOutputs outputs;
  outputs.rt_nested_splits = OutputOf(here, built, "rt_nested_splits");
  outputs.rt_dense_values = OutputOf(here, built, "rt_dense_values");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
