#include "frontend/training/adam.h"

#include <algorithm>

#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/variables/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// A scalar that belongs to no variable; it stands beside `beside`.
Variable MakeScalar(const Scope& scope, const char* name, double value, const Variable& beside) {
  VariableBuilder builder(scope.ColocateWith(beside.op()), name, scope);
  builder.trainable(false).collections({GraphKeys::kGlobalVariables});
  builder.use_resource(beside.is_resource());
  return builder.FromValue(value, DType::kFloat);
}

// A number with the other sign.
Input NegativeOf(const Input& value) {
  const StatusOr<Tensor> number = value.ValueAs(DType::kDouble);
  return number.ok() && number->rank() == 0 ? Input(-number->scalar<double>()) : value;
}

}  // namespace

void AdamOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  if (variables.empty()) return;
  if (!beta1_power_.valid()) {
    const Variable first =
        *std::min_element(variables.begin(), variables.end(),
                          [](const Variable& a, const Variable& b) { return a.name() < b.name(); });
    beta1_power_ = MakeScalar(scope, "beta1_power", options_.beta1_value, first);
    beta2_power_ = MakeScalar(scope, "beta2_power", options_.beta2_value, first);
  }
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "m", ZerosInitializer());
    MakeSlot(scope, variable, "v", ZerosInitializer());
  }
}

std::vector<Variable> AdamOptimizer::NonSlotVariables() const {
  if (!beta1_power_.valid()) return {};
  return {beta1_power_, beta2_power_};
}

void AdamOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  beta1_ = Constant(scope.Named("beta1"), options_.beta1_value, DType::kFloat);
  beta2_ = Constant(scope.Named("beta2"), options_.beta2_value, DType::kFloat);
  epsilon_ = Constant(scope.Named("epsilon"), options_.epsilon_value, DType::kFloat);
}

Operation AdamOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                    const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  return BuildOp(
      scope, "ApplyAdam",
      {variable, GetSlot(variable, "m"), GetSlot(variable, "v"), cast(beta1_power_),
       cast(beta2_power_), cast(rate_), cast(beta1_), cast(beta2_), cast(epsilon_), gradient},
      UpdateAttrs());
}

Output AdamOptimizer::Decay(const Scope& scope, const Variable& slot, const Output& decay,
                            const Output& indices, const Output& values) {
  const Output weight = Subtract(scope.Named("sub"), 1.0, decay);
  const Output added = Multiply(scope.Named("mul"), values, weight);
  const Output decayed = Multiply(scope.Named("mul"), slot, decay);
  const Operation assigned = Assign(scope, "Assign", slot, decayed);
  return BuildOutput(scope.ControlDependencies({assigned}), "ScatterAdd", {slot, indices, added},
                     UpdateAttrs());
}

Operation AdamOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                     const Variable& variable) {
  return ApplyRows(scope, Deduplicate(scope, gradient), variable);
}

// There is no sparse form of ApplyAdam: the moments of all rows decay.
Operation AdamOptimizer::ApplyRows(const Scope& scope, const IndexedSlices& g,
                                   const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const Output power1 = cast(beta1_power_), power2 = cast(beta2_power_), rate = cast(rate_);
  const Output beta1 = cast(beta1_), beta2 = cast(beta2_), epsilon = cast(epsilon_);
  const Output rest2 = Subtract(scope.Named("sub"), 1.0, power2);
  const Output root2 = BuildOutput(scope, "Sqrt", {rest2});
  const Output above = Multiply(scope.Named("mul"), rate, root2);
  const Output rest1 = Subtract(scope.Named("sub"), 1.0, power1);
  const Output alpha = Divide(scope.Named("truediv"), above, rest1);

  const Output m = Decay(scope, GetSlot(variable, "m"), beta1, g.indices, g.values);
  const Output square = Multiply(scope.Named("mul"), g.values, g.values);
  const Output v = Decay(scope, GetSlot(variable, "v"), beta2, g.indices, square);
  const Output root = BuildOutput(scope, "Sqrt", {v});
  const Output step = Multiply(scope.Named("mul"), alpha, m);
  const Output length = Add(scope.Named("add"), root, epsilon);
  const Output change = Divide(scope.Named("truediv"), step, length);
  const Operation updated = Assign(scope, "AssignSub", variable, change);
  return Group(scope, {updated, m.op(), v.op()});
}

Operation AdamOptimizer::Finish(const Scope& scope, const std::vector<Operation>& updates) {
  const Scope beside = scope.ColocateWith(beta1_power_.op());
  const Scope after = beside.ControlDependencies(updates);
  const Output power1 = Multiply(after.Named("mul"), beta1_power_, beta1_);
  std::vector<Operation> all = updates;
  all.push_back(Assign(beside.Named("Assign"), "Assign", beta1_power_, power1));
  const Output power2 = Multiply(after.Named("mul"), beta2_power_, beta2_);
  all.push_back(Assign(beside.Named("Assign"), "Assign", beta2_power_, power2));
  return Group(scope, all);
}

void AdamWOptimizer::Prepare(const Scope& scope) {
  AsOutput(scope.Named("weight_decay"), weight_decay_);
  AdamOptimizer::Prepare(scope);
}

bool AdamWOptimizer::Decays(const Variable& variable) const {
  return decay_variables_.empty() || ContainsVariable(decay_variables_, variable);
}

Operation AdamWOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                     const Variable& variable) {
  if (!Decays(variable)) {
    return AdamOptimizer::ApplyDense(scope.ControlDependencies({NoOp(scope)}), gradient, variable);
  }
  const Output change = Multiply(scope.Named("mul"), weight_decay_, variable);
  const Operation decayed =
      Assign(scope.ControlDependencies({gradient.op()}), "AssignSub", variable, change);
  return AdamOptimizer::ApplyDense(scope.ControlDependencies({decayed}), gradient, variable);
}

Operation AdamWOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                      const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  if (!Decays(variable)) {
    return ApplyRows(scope.ControlDependencies({NoOp(scope)}), g, variable);
  }
  const Output rows = BuildOutput(scope, "GatherV2", {variable, g.indices, 0});
  const Input less =
      weight_decay_.is_value() ? NegativeOf(weight_decay_) : Input(Negative(scope, weight_decay_));
  const Output change = Multiply(scope.Named("mul"), less, rows);
  const Operation decayed = BuildOp(scope.ControlDependencies({g.values.op()}), "ScatterAdd",
                                    {variable, g.indices, change}, UpdateAttrs());
  return ApplyRows(scope.ControlDependencies({decayed}), g, variable);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
