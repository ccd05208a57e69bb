// Resource variables where the frontend's functions name the ops of reference variables: which op
// does the same for a resource, and the nodes that read one.
//
// Internal to the frontend; BuildOp puts the one in place of the other.
//
//   ResourceFormOf("ApplyAdam") == "ResourceApplyAdam";
//   ResourceFormOf("Assign") == "AssignVariableOp";
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_VARIABLES_RESOURCE_FORM_H_
#define WARPBEAM_FRONTEND_VARIABLES_RESOURCE_FORM_H_

#include <string>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// The name that the op would have; there need not be one.
std::string ResourceFormOf(const std::string& op);

// Whether the input stands for a resource variable of the scope's graph.
bool IsResourceVariable(const Scope& scope, const Input& input);

// The value that a resource variable has when the operations before `scope` have run:
// "ReadVariableOp", beside the variable.
Output ReadResource(const Scope& scope, const Output& handle, DType dtype);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_RESOURCE_FORM_H_
