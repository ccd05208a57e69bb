#include "ops/training/update_form.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_split.h"

namespace warpbeam::host_pass {
namespace {

std::vector<std::string> Words(const char* text) {
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}
bool Contains(const char* words, const std::string& word) {
  const std::vector<std::string> all = Words(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

std::unordered_map<std::string, UpdateForm>& Forms() {
  static auto* const forms = new std::unordered_map<std::string, UpdateForm>();
  return *forms;
}

Status CheckVariable(const UpdateForm& form, int i, const Variable& variable, const Tensor& value,
                     const Tensor& first, DType dtype) {
  if (!value.has_value()) {
    return FailedPrecondition("Attempting to use uninitialized value ", variable.name(),
                              "; run its initializer first");
  }
  if (value.dtype() != dtype) {
    return InvalidArgument("'", form.names[i], "' (variable '", variable.name(), "') holds ",
                           DTypeName(value.dtype()), ", the gradient ", DTypeName(dtype));
  }
  if (value.shape() != first.shape()) {
    return InvalidArgument("'", form.names[i], "' (variable '", variable.name(), "') has shape ",
                           value.shape().ToString(), ", but 'var' has ", first.shape().ToString());
  }
  return OkStatus();
}

Status CheckDense(const UpdateForm& form, const Tensor& value, const Tensor& gradient) {
  if (gradient.shape() == value.shape()) return OkStatus();
  return InvalidArgument("'", form.names[form.gradient], "' has shape ",
                         gradient.shape().ToString(), ", but 'var' has ", value.shape().ToString());
}

Status CheckSparse(const Tensor& value, const Tensor& gradient, const Tensor& indices) {
  if (value.rank() < 1) return InvalidArgument("'var' must be at least a vector");
  if (indices.rank() != 1) {
    return InvalidArgument("'indices' must be a vector, but has shape ",
                           indices.shape().ToString());
  }
  bool fits = gradient.rank() == value.rank() && gradient.dim(0) == indices.dim(0);
  for (int d = 1; fits && d < value.rank(); ++d) fits = gradient.dim(d) == value.dim(d);
  if (fits) return OkStatus();
  return InvalidArgument("'grad' must have a row of 'var', which has shape ",
                         value.shape().ToString(), ", for each of the ", indices.dim(0),
                         " indices, but has shape ", gradient.shape().ToString());
}

// Calls `then` with all variables locked and `values` set; they are locked in the order given.
Status WithLocked(Span<Variable* const> variables, UpdateValues* values,
                  absl::FunctionRef<Status()> then) {
  if (variables.empty()) return then();
  return variables[0]->Update([&](Tensor& value) {
    values->distinct.push_back(&value);
    return WithLocked(variables.subspan(1), values, then);
  });
}

}  // namespace

UpdateForm MakeForm(const UpdateRule& rule, bool resource, bool sparse) {
  UpdateForm form;
  form.rule = rule;
  form.resource = resource, form.sparse = sparse;
  form.op = absl::StrCat(resource ? "Resource" : "", sparse ? "Sparse" : "", "Apply", rule.name);
  form.attr = std::string(rule.attr).substr(0, std::string(rule.attr).find(':'));
  form.names = {"var"};
  for (std::string& slot : Words(rule.slots)) form.names.push_back(std::move(slot));
  form.variables = static_cast<int>(form.names.size());
  const bool checked = sparse || rule.dense_is_checked;
  for (const std::string& name : Words(rule.arguments)) {
    const int place = static_cast<int>(form.names.size());
    if (name == "grad" || name == "delta") {
      form.gradient = place;
      form.names.push_back(sparse ? "grad" : name);
      if (!sparse) continue;
      form.indices = place + 1;
      form.names.push_back("indices");
      continue;
    }
    form.scalars.push_back(place);
    form.names.push_back(name);
    form.conditions += !checked                            ? ' '
                       : Contains(rule.positive, name)     ? '>'
                       : Contains(rule.not_negative, name) ? '+'
                       : Contains(rule.not_positive, name) ? '-'
                                                           : ' ';
  }
  return form;
}

const UpdateForm& KeepForm(UpdateForm form) {
  const std::string op = form.op;
  return Forms().emplace(op, std::move(form)).first->second;
}

StatusOr<const UpdateForm*> FormOf(const std::string& op) {
  const auto found = Forms().find(op);
  if (found == Forms().end()) return NotFound("no update rule makes ", op);
  return &found->second;
}

StatusOr<bool> FlagOf(const UpdateForm& form, const KernelInit& init) {
  if (form.attr.empty()) return false;
  return init.attr<bool>(form.attr);
}

Status WithUpdateValues(KernelContext& ctx, const UpdateForm& form,
                        std::vector<VariableFinder>& finders,
                        absl::FunctionRef<Status(const UpdateValues& values)> then) {
  std::array<std::shared_ptr<Variable>, kMostVariables> kept;
  absl::InlinedVector<Variable*, kMostVariables> variables(form.variables);
  for (int i = 0; i < form.variables; ++i) {
    if (form.resource) {
      WB_ASSIGN_OR_RETURN(kept[i], finders[i].Find(ctx, i));
      variables[i] = kept[i].get();
    } else {
      WB_ASSIGN_OR_RETURN(variables[i], RefInput(ctx, i));
    }
  }
  // By address, so that two updates never wait for each other; and a variable in two places once.
  absl::InlinedVector<Variable*, kMostVariables> distinct = variables;
  std::sort(distinct.begin(), distinct.end(), std::less<Variable*>());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  UpdateValues values;
  WB_RETURN_IF_ERROR(WithLocked(distinct, &values, [&] {
    for (int i = 0; i < form.variables; ++i) {
      values.place[i] = static_cast<int>(std::find(distinct.begin(), distinct.end(), variables[i]) -
                                         distinct.begin());
      WB_RETURN_IF_ERROR(CheckVariable(form, i, *variables[i], values[i], values[0],
                                       ctx.input(form.gradient).dtype()));
    }
    return then(values);
  }));
  if (!form.resource) ctx.set_output_ref(0, static_cast<RefVariable*>(variables[0]));
  return OkStatus();
}

Status CheckScalarShapes(const UpdateForm& form, UpdateInputAt input) {
  for (const int i : form.scalars) {
    if (input(i).rank() == 0) continue;
    return InvalidArgument("'", form.names[i], "' must be a scalar, but has shape ",
                           input(i).shape().ToString());
  }
  return OkStatus();
}

Status CheckGradient(const KernelContext& ctx, const UpdateForm& form, const Tensor& value) {
  const Tensor& gradient = ctx.input(form.gradient);
  return form.sparse ? CheckSparse(value, gradient, ctx.input(form.indices))
                     : CheckDense(form, value, gradient);
}

}  // namespace warpbeam::host_pass
