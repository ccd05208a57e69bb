// Changing variables (tf.assign, tf.assign_add, tf.scatter_update, tf.scatter_nd_add…), and asking
// whether they have values.
//
//   Output stepped = AssignAdd(scope, step, 1);
//   Output changed = ScatterUpdate(scope, table, ids, rows);
//   Output ready = IsVariableInitialized(scope, w);
//
// The result is the variable's value after the change; of a resource variable it is read behind it.
// Assign, AssignAdd and AssignSub take variables that are cut into parts too.
// Nodes and names are those of TensorFlow's functions on variables of references.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; places out of range
// are errors of the step.
#ifndef WARPBEAM_FRONTEND_VARIABLES_UPDATES_H_
#define WARPBEAM_FRONTEND_VARIABLES_UPDATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"
#include "frontend/variables/variable.h"
#include "frontend/variables/variable_scope.h"

namespace warpbeam {
namespace frontend {

class ClientSession;

Output Assign(ScopeRef scope, const Variable& variable, const Input& value);
Output AssignAdd(ScopeRef scope, const Variable& variable, const Input& value);
Output AssignSub(ScopeRef scope, const Variable& variable, const Input& value);
// Adds 1; the step fails with OUT_OF_RANGE when the value is `limit`. The result is the value
// before.
Output CountUpTo(ScopeRef scope, const Variable& variable, int64_t limit);

// Of the rows that `indices` name.
Output ScatterUpdate(ScopeRef scope, const Variable& variable, const Input& indices,
                     const Input& updates);
Output ScatterAdd(ScopeRef scope, const Variable& variable, const Input& indices,
                  const Input& updates);
Output ScatterSub(ScopeRef scope, const Variable& variable, const Input& indices,
                  const Input& updates);
Output ScatterMul(ScopeRef scope, const Variable& variable, const Input& indices,
                  const Input& updates);
Output ScatterDiv(ScopeRef scope, const Variable& variable, const Input& indices,
                  const Input& updates);
Output ScatterMin(ScopeRef scope, const Variable& variable, const Input& indices,
                  const Input& updates);
Output ScatterMax(ScopeRef scope, const Variable& variable, const Input& indices,
                  const Input& updates);
// Of the elements or slices that the last dimension of `indices` names.
Output ScatterNdUpdate(ScopeRef scope, const Variable& variable, const Input& indices,
                       const Input& updates);
Output ScatterNdAdd(ScopeRef scope, const Variable& variable, const Input& indices,
                    const Input& updates);
Output ScatterNdSub(ScopeRef scope, const Variable& variable, const Input& indices,
                    const Input& updates);
// Each row of `indices` is for one of a batch: the dimensions before its last one.
Output BatchScatterUpdate(ScopeRef scope, const Variable& variable, const Output& indices,
                          const Input& updates);

// tf.Variable.load: gives the variable a value in the session, without adding to the graph.
// INVALID_ARGUMENT for a value of another type or shape.
Status LoadValue(ClientSession& session, const Variable& variable, const Tensor& value);

// Whether the variable has a value.
Output IsVariableInitialized(ScopeRef scope, const Variable& variable);
// Fails the step with the names of variables (by default all global and local ones) without value.
Operation AssertVariablesInitialized(ScopeRef scope, const std::vector<Variable>& variables);
Operation AssertVariablesInitialized(ScopeRef scope);

// The variables of GraphKeys::kLocalVariables and kModelVariables.
HandleList<Variable> LocalVariables(const Scope& scope, const std::string& filter = "");
HandleList<Variable> ModelVariables(const Scope& scope, const std::string& filter = "");
// tf.get_local_variable: in GraphKeys::kLocalVariables, and not trained.
Variable GetLocalVariable(ScopeRef scope, const std::string& name, const Shape& shape,
                          GetVariableOptions options = GetVariableOptions());

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_UPDATES_H_
