#include "frontend/control_flow/selection.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/variables/variable_scope.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {

OutputList SwitchCase(ScopeRef scope_ref, const Input& index,
                      const std::vector<BranchFunction>& branches,
                      const BranchFunction& otherwise) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return {};
  if (branches.empty()) {
    scope.Fail(InvalidArgument("SwitchCase of no branches"));
    return {};
  }
  const Scope inside = scope.OpenScope("switch_case");
  const Output number = AsOutput(inside.Named("branch_index"), index,
                                 index.is_value() ? DType::kInt32 : DType::kInvalid);
  std::vector<std::pair<Output, BranchFunction>> cases;
  const size_t chosen = otherwise ? branches.size() : branches.size() - 1;
  for (size_t i = 0; i < chosen; ++i) {
    cases.emplace_back(Equal(inside, number, static_cast<int>(i)), branches[i]);
  }
  if (!scope.ok()) return {};
  std::vector<Output> results = Case(inside, cases, otherwise ? otherwise : branches.back());
  for (Output& result : results) result = scope(result);
  return results;
}

OutputList Tuple(ScopeRef scope_ref, const std::vector<Output>& tensors,
                 const std::vector<Operation>& control_inputs) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return std::vector<Output>(tensors.size());
  const Scope inside = scope.OpenScope("tuple");
  std::vector<Operation> all;
  for (const Output& tensor : tensors) {
    if (tensor.valid()) all.push_back(tensor.op());
  }
  all.insert(all.end(), control_inputs.begin(), control_inputs.end());
  if (all.empty()) {
    scope.Fail(InvalidArgument("Tuple of no tensors"));
    return std::vector<Output>(tensors.size());
  }
  const Operation gate = Group(inside, all);
  std::vector<Output> results;
  for (const Output& tensor : tensors) {
    if (!tensor.valid()) {
      results.emplace_back();
      continue;
    }
    const Scope beside = inside.ColocateWith(tensor).ControlDependencies({gate});
    results.push_back(scope(Identity(beside.Named("control_dependency"), tensor)));
  }
  return results;
}

OutputList VectorizedMap(ScopeRef scope, const RowsFunction& function, const InputList& elems) {
  return MapFn(scope.scope(), function, elems);
}

Output VectorizedMap(ScopeRef scope, const RowFunction& function, const Input& elems) {
  return MapFn(scope.scope(), function, elems);
}

Scope TemplateScope::Open(const Scope& scope) {
  if (!opened_) {
    const Scope inside = scope.DefaultVariableScope(name_);
    opened_ = true;
    outer_ = scope.variable_scope();
    inner_ = inside.variable_scope();
    return inside;
  }
  if (scope.variable_scope() != outer_) {
    scope.Fail(InvalidArgument(
        "the template '", name_, "' was first called in the variable scope '", outer_,
        "' and must be called there; this one is '", scope.variable_scope(), "'"));
    return scope;
  }
  const std::string own = outer_.empty() ? inner_ : inner_.substr(outer_.size() + 1);
  return scope.VariableScope(own, VariableScopeOptions().reuse(true));
}

}  // namespace frontend
}  // namespace warpbeam
