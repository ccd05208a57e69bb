// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_SPECIAL_MATH_OPS_H_
#define WARPBEAM_FRONTEND_OPS_SPECIAL_MATH_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

// (x: T) -> (y: T)
Output BesselI0(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselI0e(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselI1(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselI1e(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselJ0(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselJ1(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselK0(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselK0e(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselK1(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselK1e(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselY0(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output BesselY1(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Dawsn(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Expint(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output FresnelCos(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output FresnelSin(ScopeRef scope, const Input& x);

// (x: T) -> (y: T)
Output Spence(ScopeRef scope, const Input& x);

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_SPECIAL_MATH_OPS_H_
