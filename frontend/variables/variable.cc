#include "frontend/variables/variable.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/graph_state.h"
#include "frontend/variables/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace {

const VariableData& DataOf(const std::shared_ptr<const VariableData>& data) {
  static const VariableData kNone;
  return data == nullptr ? kNone : *data;
}

}  // namespace

Variable::Variable(ScopeRef scope_ref, const Input& initial_value, const VariableOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return;
  VariableBuilder builder(scope, scope.OpNameOr("Variable"), scope);
  builder.trainable(options.trainable_).constraint(options.constraint_);
  builder.use_resource(options.use_resource_.value_or(scope.context().variables->use_resource));
  builder.collections(options.has_collections_
                          ? options.collections_
                          : std::vector<std::string>{GraphKeys::kGlobalVariables});
  *this = builder.FromValue(initial_value, options.dtype_);
}

std::string Variable::name() const { return DataOf(data_).name; }
DType Variable::dtype() const { return DataOf(data_).dtype; }
const Shape& Variable::shape() const { return DataOf(data_).shape; }
bool Variable::trainable() const { return DataOf(data_).trainable; }
SourceLocation Variable::location() const { return DataOf(data_).location; }
bool Variable::is_resource() const { return valid() && ref().dtype() == DType::kResource; }
Output Variable::ref() const { return DataOf(data_).ref; }
Operation Variable::initializer() const { return DataOf(data_).initializer; }
Output Variable::initial_value() const { return DataOf(data_).initial_value; }

Output Variable::read() const {
  const Output& read = DataOf(data_).read;
  return Output(read.graph_ref(), read.node(), read.index(), used_in_);
}

Output Variable::InitializedValue(ScopeRef scope) const {
  return valid() ? BuildInitializedValue(scope.scope(), *this) : Output();
}

bool ContainsVariable(const std::vector<Variable>& variables, const Variable& variable) {
  return std::any_of(variables.begin(), variables.end(),
                     [&](const Variable& candidate) { return SameVariable(candidate, variable); });
}

std::string VariableSlice::Spec(const Shape& shape) const {
  std::vector<std::string> ranges;
  for (int i = 0; i < shape.rank() && i < static_cast<int>(offset.size()); ++i) {
    ranges.push_back(absl::StrCat(offset[static_cast<size_t>(i)], ",", shape.dim(i)));
  }
  return absl::StrCat(absl::StrJoin(full_shape.dims(), " "), " ", absl::StrJoin(ranges, ":"));
}

const Constraint& Variable::constraint() const { return DataOf(data_).constraint; }
const std::vector<int64_t>& Variable::partitions() const { return DataOf(data_).partitions; }

HandleList<Variable> Variable::parts() const {
  const std::vector<Variable>& parts = DataOf(data_).parts;
  return parts.empty() ? std::vector<Variable>{*this} : parts;
}

const VariableSlice* Variable::slice() const {
  const std::optional<VariableSlice>& slice = DataOf(data_).slice;
  return slice.has_value() ? &*slice : nullptr;
}

Variable Variable::WithValue(const Output& value) const {
  auto data = std::make_shared<VariableData>();
  data->name = name();
  data->dtype = value.dtype();
  data->shape = value.shape().AsShape().value_or(shape());
  data->trainable = trainable();
  data->read = value;
  data->location = location();
  Variable computed;
  computed.data_ = std::move(data);
  computed.used_in_ = used_in_;
  return computed;
}

Variable Variable::UsedIn(const Scope& scope) const {
  Variable variable = *this;
  variable.used_in_ = scope.shared_context();
  return variable;
}

}  // namespace frontend
}  // namespace warpbeam
