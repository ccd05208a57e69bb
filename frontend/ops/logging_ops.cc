// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/logging_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation Assert(ScopeRef scope, const Input& condition, const InputList& data,
    const AssertAttrs& attrs) {
  return BuildOp(
      scope.scope(), "Assert", {condition, data},
      attrs);
}

Output Print(ScopeRef scope, const Input& input, const InputList& data, const PrintAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Print", {input, data},
      attrs);
}

Operation PrintV2(ScopeRef scope, const Input& input, const PrintV2Attrs& attrs) {
  return BuildOp(
      scope.scope(), "PrintV2", {input},
      attrs);
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
