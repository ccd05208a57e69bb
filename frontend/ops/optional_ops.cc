// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/optional_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output OptionalFromValue(ScopeRef scope, const InputList& components) {
  return BuildOutput(
      scope.scope(), "OptionalFromValue", {components},
      OpAttrs());
}

std::vector<Output> OptionalGetValue(ScopeRef scope, const Input& optional,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes) {
  return BuildOutputs(
      scope.scope(), "OptionalGetValue", {optional},
      OpAttrs()
          .Set("output_types", output_types)
          .Set("output_shapes", output_shapes));
}

Output OptionalHasValue(ScopeRef scope, const Input& optional) {
  return BuildOutput(
      scope.scope(), "OptionalHasValue", {optional},
      OpAttrs());
}

Output OptionalNone(ScopeRef scope) {
  return BuildOutput(
      scope.scope(), "OptionalNone", {},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
