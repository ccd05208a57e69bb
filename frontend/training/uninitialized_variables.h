// Which variables have no value yet (tf.report_uninitialized_variables).
//
//   Output names = ReportUninitializedVariables(scope);   // a vector of strings, empty at the end
//
// Nodes and names are those of TensorFlow's function.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_TRAINING_UNINITIALIZED_VARIABLES_H_
#define WARPBEAM_FRONTEND_TRAINING_UNINITIALIZED_VARIABLES_H_

#include <vector>

#include "frontend/scope.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {
namespace train {

// The names of those global and local variables that have no value yet.
Output ReportUninitializedVariables(ScopeRef scope);
Output ReportUninitializedVariables(ScopeRef scope, const std::vector<Variable>& variables);

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_TRAINING_UNINITIALIZED_VARIABLES_H_
