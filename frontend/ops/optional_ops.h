// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_OPTIONAL_OPS_H_
#define WARPBEAM_FRONTEND_OPS_OPTIONAL_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (components: Toutput_types) -> (optional: variant)
Output OptionalFromValue(ScopeRef scope, const InputList& components);

// (optional: variant) -> (components: output_types)
std::vector<Output> OptionalGetValue(ScopeRef scope, const Input& optional,
    const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes);

// (optional: variant) -> (has_value: bool)
Output OptionalHasValue(ScopeRef scope, const Input& optional);

// () -> (optional: variant)
Output OptionalNone(ScopeRef scope);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_OPTIONAL_OPS_H_
