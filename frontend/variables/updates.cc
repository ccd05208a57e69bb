#include "frontend/variables/updates.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/check/assertions.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "frontend/variables/resource_form.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace {

// The value after `op` has changed the variable.
Output Changed(ScopeRef scope_ref, const char* op, const Variable& variable,
               const std::vector<Input>& arguments, const OpAttrs& attrs = OpAttrs()) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (!variable.valid()) {
    scope.Fail(InvalidArgument(op, " of a variable that is not valid"));
    return Output();
  }
  std::vector<ArgumentInput> inputs = {variable};
  for (const Input& argument : arguments) inputs.emplace_back(argument);
  const Operation change = BuildOp(scope, op, inputs, attrs);
  if (!change.valid()) return Output();
  if (!variable.is_resource()) return scope(change.output(0));
  return ReadResource(scope.Named("").ControlDependencies({change}), variable.ref(),
                      variable.dtype());
}

// The same for one that is cut: each part with its part of the value, and all of them joined.
Output ChangedWhole(ScopeRef scope_ref, const char* op, const Variable& variable,
                    const Input& value) {
  const Scope scope = scope_ref.scope();
  if (!variable.is_partitioned()) return Changed(scope, op, variable, {value});
  const std::vector<int64_t>& partitions = variable.partitions();
  const auto cut =
      std::find_if(partitions.begin(), partitions.end(), [](int64_t parts) { return parts > 1; });
  const int axis = cut == partitions.end() ? 0 : static_cast<int>(cut - partitions.begin());
  const std::vector<Variable> parts = variable.parts();
  std::vector<int32_t> sizes;
  for (const Variable& part : parts) {
    sizes.push_back(static_cast<int32_t>(part.shape().dim(axis)));
  }
  const Output all = AsOutput(scope.Named("value"), value, variable.dtype());
  const std::vector<Output> values =
      BuildOutputs(scope.Named(""), "SplitV", {all, sizes, axis},
                   OpAttrs().Set("num_split", static_cast<int64_t>(sizes.size())),
                   static_cast<int>(sizes.size()));
  std::vector<Output> changed;
  for (size_t i = 0; i < parts.size(); ++i) {
    changed.push_back(Changed(scope, op, parts[i], {values[i]}));
  }
  return Concat(scope.Named(""), changed, axis);
}

std::vector<Variable> Known(const Scope& scope) {
  std::vector<Variable> variables = GlobalVariables(scope);
  for (const Variable& variable : LocalVariables(scope)) variables.push_back(variable);
  return variables;
}

}  // namespace

Output Assign(ScopeRef scope, const Variable& variable, const Input& value) {
  return ChangedWhole(scope.scope(), "Assign", variable, value);
}
Output AssignAdd(ScopeRef scope, const Variable& variable, const Input& value) {
  return ChangedWhole(scope.scope(), "AssignAdd", variable, value);
}
Output AssignSub(ScopeRef scope, const Variable& variable, const Input& value) {
  return ChangedWhole(scope.scope(), "AssignSub", variable, value);
}

Output CountUpTo(ScopeRef scope_ref, const Variable& variable, int64_t limit) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (!variable.valid()) {
    scope.Fail(InvalidArgument("CountUpTo of a variable that is not valid"));
    return Output();
  }
  OpAttrs attrs = OpAttrs().Set("limit", limit);
  if (variable.is_resource()) attrs.Set("T", variable.dtype());
  return BuildOutput(scope, "CountUpTo", {variable}, attrs);
}

#define WB_SCATTER(Name)                                                      \
  Output Name(ScopeRef scope, const Variable& variable, const Input& indices, \
              const Input& updates) {                                         \
    return Changed(scope.scope(), #Name, variable, {indices, updates});       \
  }
WB_SCATTER(ScatterUpdate)
WB_SCATTER(ScatterAdd)
WB_SCATTER(ScatterSub)
WB_SCATTER(ScatterMul)
WB_SCATTER(ScatterDiv)
WB_SCATTER(ScatterMin)
WB_SCATTER(ScatterMax)
WB_SCATTER(ScatterNdUpdate)
WB_SCATTER(ScatterNdAdd)
WB_SCATTER(ScatterNdSub)
#undef WB_SCATTER

Output BatchScatterUpdate(ScopeRef scope_ref, const Variable& variable, const Output& indices,
                          const Input& updates) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("batch_scatter_update");
  if (!scope.ok()) return Output();
  const int rank = Input(indices).rank();
  if (rank < 1) {
    scope.Fail(
        InvalidArgument("BatchScatterUpdate needs indices of a known rank of at least 1, not "
                        "of shape ",
                        indices.shape().ToString()));
    return Output();
  }
  // The places in the batch stand before each index.
  const Output shape = BuildOutput(inside, "Shape", {indices});
  std::vector<Output> columns;
  for (int i = 0; i + 1 < rank; ++i) {
    std::vector<int32_t> dims(static_cast<size_t>(rank), 1);
    dims[static_cast<size_t>(i)] = -1;
    const Output numbers = Reshape(inside, Range(inside, ElementAt(inside, shape, i)), dims);
    columns.push_back(Cast(inside, BroadcastTo(inside, numbers, shape), indices.dtype()));
  }
  columns.push_back(indices);
  return scope(ScatterNdUpdate(inside, variable, Stack(inside, columns, rank), updates));
}

Output IsVariableInitialized(ScopeRef scope_ref, const Variable& variable) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Output();
  if (!variable.valid()) {
    scope.Fail(InvalidArgument("IsVariableInitialized of a variable that is not valid"));
    return Output();
  }
  return BuildOutput(scope, "IsVariableInitialized", {variable});
}

Operation AssertVariablesInitialized(ScopeRef scope_ref, const std::vector<Variable>& variables) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("assert_variables_initialized");
  std::vector<Operation> checks;
  for (const Variable& variable : variables) {
    const Output ready = IsVariableInitialized(inside, variable);
    if (!scope.ok()) return Operation();
    checks.push_back(Assert(inside, ready, {"the variable has no value yet:", variable.name()}));
  }
  return BuildOp(inside.ControlDependencies(checks).Named("all"), "NoOp", {});
}

Operation AssertVariablesInitialized(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  return AssertVariablesInitialized(scope, Known(scope));
}

Status LoadValue(ClientSession& session, const Variable& variable, const Tensor& value) {
  if (!variable.valid()) {
    return InvalidArgument("a value cannot be loaded into a variable that is not valid");
  }
  if (!value.has_value() || value.dtype() != variable.dtype() ||
      value.shape() != variable.shape()) {
    return InvalidArgument("'", variable.name(), "' is ", DTypeName(variable.dtype()),
                           variable.shape().ToString(), ", the value to load is not");
  }
  return session.Run({{variable.initial_value(), value}}, {variable.initializer()}).status();
}

HandleList<Variable> LocalVariables(const Scope& scope, const std::string& filter) {
  return GetVariables(scope, GraphKeys::kLocalVariables, filter);
}

HandleList<Variable> ModelVariables(const Scope& scope, const std::string& filter) {
  return GetVariables(scope, GraphKeys::kModelVariables, filter);
}

Variable GetLocalVariable(ScopeRef scope, const std::string& name, const Shape& shape,
                          GetVariableOptions options) {
  options.collections({GraphKeys::kLocalVariables}).trainable(false);
  return GetVariable(scope.scope(), name, shape, options);
}

}  // namespace frontend
}  // namespace warpbeam
