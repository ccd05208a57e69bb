// Operations that only order others (tf.no_op, tf.group) and run initialisers.
//
//   Operation train = NoOp(scope.ControlDependencies({apply, average}).Named("train"));
//   session.Run({GlobalVariablesInitializer(scope)});
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_CONTROL_H_
#define WARPBEAM_FRONTEND_CONTROL_H_

#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {

Operation NoOp(ScopeRef scope);
// One operation that is done when all are: one node on each device that they were asked onto.
Operation Group(ScopeRef scope, const std::vector<Operation>& operations);

Operation VariablesInitializer(ScopeRef scope, const std::vector<Variable>& variables);
// "init": gives every variable its initial value.
Operation GlobalVariablesInitializer(ScopeRef scope);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_CONTROL_H_
