#include "frontend/training/moving_average.h"

#include <algorithm>

#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/variables/variable_builder.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// shadow -= (1 - decay) * (shadow - variable), beside the shadow: no copy of it travels.
Operation AssignMovingAverage(const Scope& scope, const Variable& shadow, const Variable& variable,
                              const Output& decay) {
  const Scope inside = scope.NameScope("AssignMovingAvg");
  const Scope beside = inside.ColocateWith(shadow.op());
  const Output rate = Subtract(beside.Named("sub"), 1.0, decay);
  const Output cast = Cast(beside, rate, variable.dtype());
  const Output distance = Subtract(beside.Named("sub"), shadow, variable);
  const Output step = Multiply(beside.Named("mul"), distance, cast);
  return BuildOp(beside.Named(inside.name_scope()), "AssignSub", {shadow, step},
                 OpAttrs().Set("use_locking", false));
}

}  // namespace

Variable ExponentialMovingAverage::MakeShadow(const Scope& scope, const Variable& variable) {
  const Scope outside = scope.NoControlDependencies().Named("");
  // The variable's value where there is one: an average may be added to a trained model.
  const Output initial = variable.InitializedValue(outside.Device(variable.op().device()));
  VariableBuilder builder(outside.WithPrefix("").ColocateWith(variable.op()), AverageName(variable),
                          scope);
  builder.trainable(false).collections({GraphKeys::kGlobalVariables});
  builder.use_resource(variable.is_resource()).beside(variable);
  const Variable shadow = builder.FromValue(initial, DType::kInvalid);
  AddToCollection(scope, GraphKeys::kMovingAverageVariables, variable);
  return shadow;
}

Output ExponentialMovingAverage::Decay(const Scope& scope) const {
  const Output decay = Constant(scope.Named("decay"), decay_, DType::kFloat);
  if (!num_updates_.valid()) return decay;
  const Output updates = Cast(scope.Named("num_updates"), num_updates_, DType::kFloat);
  const Output above = Add(scope.Named("add"), 1.0, updates);
  const Output below = Add(scope.Named("add"), 10.0, updates);
  return Minimum(scope, decay, Divide(scope, above, below));
}

Operation ExponentialMovingAverage::Apply(ScopeRef scope_ref,
                                          const std::vector<Variable>& variables) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  std::vector<Variable> once;
  for (const Variable& variable : variables) {
    if (!IsFloating(variable.dtype())) {
      scope.Fail(InvalidArgument("moving average of '", variable.name(), "', which is ",
                                 DTypeName(variable.dtype()), ": only floating types have one"));
      return Operation();
    }
    if (ContainsVariable(once, variable)) continue;
    once.push_back(variable);
    if (shadows_.count(variable) == 0) shadows_[variable] = MakeShadow(scope, variable);
  }
  const Scope inside = scope.OpenScope(name_);
  const Output decay = Decay(inside);
  std::vector<Operation> updates;
  for (const Variable& variable : once) {
    updates.push_back(AssignMovingAverage(inside, shadows_[variable], variable, decay));
  }
  return Group(inside.Named(inside.name_scope()), updates);
}

Variable ExponentialMovingAverage::Average(const Variable& variable) const {
  const auto found = shadows_.find(variable);
  return found == shadows_.end() ? Variable() : found->second;
}

std::map<std::string, Variable> ExponentialMovingAverage::VariablesToRestore(
    const Scope& scope, const std::vector<Variable>& averaged) const {
  std::vector<Variable> with_average = averaged;
  if (averaged.empty()) {
    with_average = TrainableVariables(scope);
    for (const Variable& variable : MovingAverageVariables(scope)) with_average.push_back(variable);
  }
  std::map<std::string, Variable> result;
  for (const Variable& variable : with_average) result[AverageName(variable)] = variable;
  // emplace: a shadow's own name is its variable's already.
  for (const Variable& variable : GlobalVariables(scope)) {
    if (!ContainsVariable(with_average, variable)) result.emplace(variable.name(), variable);
  }
  return result;
}

std::string ExponentialMovingAverage::AverageName(const Variable& variable) const {
  return variable.name() + "/" + name_;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
