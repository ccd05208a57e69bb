// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
//
// One function for each op: it adds the op to the scope's graph.
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the
// scope; results are then not valid.
#ifndef WARPBEAM_FRONTEND_OPS_TRAINING_OPS_H_
#define WARPBEAM_FRONTEND_OPS_TRAINING_OPS_H_

#include <string>
#include <vector>

#include "frontend/build.h"

namespace warpbeam {
namespace frontend {
namespace ops {

class ApplyGradientDescentAttrs : public OpAttrs {
 public:
  ApplyGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: Ref(T), alpha: T, delta: T) -> (out: Ref(T))
Output ApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta, const ApplyGradientDescentAttrs& attrs = ApplyGradientDescentAttrs());

class ResourceApplyGradientDescentAttrs : public OpAttrs {
 public:
  ResourceApplyGradientDescentAttrs& use_locking(bool value) {
    Set("use_locking", value);
    return *this;
  }
};
// (var: resource, alpha: T, delta: T) -> ()
Operation ResourceApplyGradientDescent(ScopeRef scope, const Input& var, const Input& alpha,
    const Input& delta,
    const ResourceApplyGradientDescentAttrs& attrs = ResourceApplyGradientDescentAttrs());

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPS_TRAINING_OPS_H_
