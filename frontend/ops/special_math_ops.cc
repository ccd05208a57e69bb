// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/special_math_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Output BesselI0(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselI0", {x},
      OpAttrs());
}

Output BesselI0e(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselI0e", {x},
      OpAttrs());
}

Output BesselI1(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselI1", {x},
      OpAttrs());
}

Output BesselI1e(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselI1e", {x},
      OpAttrs());
}

Output BesselJ0(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselJ0", {x},
      OpAttrs());
}

Output BesselJ1(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselJ1", {x},
      OpAttrs());
}

Output BesselK0(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselK0", {x},
      OpAttrs());
}

Output BesselK0e(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselK0e", {x},
      OpAttrs());
}

Output BesselK1(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselK1", {x},
      OpAttrs());
}

Output BesselK1e(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselK1e", {x},
      OpAttrs());
}

Output BesselY0(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselY0", {x},
      OpAttrs());
}

Output BesselY1(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "BesselY1", {x},
      OpAttrs());
}

Output Dawsn(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Dawsn", {x},
      OpAttrs());
}

Output Expint(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Expint", {x},
      OpAttrs());
}

Output FresnelCos(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "FresnelCos", {x},
      OpAttrs());
}

Output FresnelSin(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "FresnelSin", {x},
      OpAttrs());
}

Output Spence(ScopeRef scope, const Input& x) {
  return BuildOutput(
      scope.scope(), "Spence", {x},
      OpAttrs());
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
