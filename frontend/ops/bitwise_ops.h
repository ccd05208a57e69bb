// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_BITWISE_OPS_H_
#define WARPBEAM_FRONTEND_OPS_BITWISE_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (x: T, y: T) -> (z: T)
Output BitwiseAnd(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output BitwiseOr(ScopeRef scope, const Input& x, const Input& y);

// (x: T, y: T) -> (z: T)
Output BitwiseXor(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: T)
Output Invert(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: T)
Output LeftShift(ScopeRef scope, const Input& x, const Input& y);

// (x: T) -> (y: uint8)
Output PopulationCount(ScopeRef scope, const Input& x);

// (x: T, y: T) -> (z: T)
Output RightShift(ScopeRef scope, const Input& x, const Input& y);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_BITWISE_OPS_H_
