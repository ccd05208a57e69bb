#include "frontend/training/slot_optimizers.h"

#include <algorithm>

#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/variable_builder.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

Output FloatConstant(const Scope& scope, const char* name, double value) {
  return Constant(scope.Named(name), value, DType::kFloat);
}

// A scalar that belongs to no variable; it stands beside `beside`.
Variable MakeScalar(const Scope& scope, const char* name, double value, const Variable& beside) {
  VariableBuilder builder(scope.ColocateWith(beside.op()), name, scope);
  builder.trainable(false).collections({GraphKeys::kGlobalVariables});
  return builder.FromValue(value, DType::kFloat);
}

Operation Assign(const Scope& scope, const char* op, const Variable& variable,
                 const Output& value) {
  return BuildOp(scope, op, {variable, value}, OpAttrs().Set("use_locking", false));
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

void AdamOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  beta1_ = FloatConstant(scope, "beta1", options_.beta1_value);
  beta2_ = FloatConstant(scope, "beta2", options_.beta2_value);
  epsilon_ = FloatConstant(scope, "epsilon", options_.epsilon_value);
}

Operation AdamOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                    const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  return BuildOp(
      scope, "ApplyAdam",
      {variable, GetSlot(variable, "m"), GetSlot(variable, "v"), cast(beta1_power_),
       cast(beta2_power_), cast(rate_), cast(beta1_), cast(beta2_), cast(epsilon_), gradient});
}

Output AdamOptimizer::Decay(const Scope& scope, const Variable& slot, const Output& decay,
                            const Output& indices, const Output& values) {
  const Output weight = Subtract(scope.Named("sub"), 1.0, decay);
  const Output added = Multiply(scope.Named("mul"), values, weight);
  const Output decayed = Multiply(scope.Named("mul"), slot, decay);
  const Operation assigned = Assign(scope, "Assign", slot, decayed);
  return BuildOutput(scope.ControlDependencies({assigned}), "ScatterAdd", {slot, indices, added},
                     OpAttrs().Set("use_locking", false));
}

// There is no sparse form of ApplyAdam: the moments of all rows decay.
Operation AdamOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                     const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const IndexedSlices g = Deduplicate(scope, gradient);
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

void MomentumOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "momentum", ZerosInitializer());
  }
}

void MomentumOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  momentum_ = AsOutput(scope.Named("momentum"), momentum_value_);
}

Operation MomentumOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                        const Variable& variable) {
  return BuildOp(scope, "ApplyMomentum",
                 {variable, GetSlot(variable, "momentum"), Cast(scope, rate_, variable.dtype()),
                  gradient, Cast(scope, momentum_, variable.dtype())},
                 OpAttrs().Set("use_nesterov", use_nesterov_));
}

Operation MomentumOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                         const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyMomentum",
                 {variable, GetSlot(variable, "momentum"), Cast(scope, rate_, variable.dtype()),
                  g.values, g.indices, Cast(scope, momentum_, variable.dtype())},
                 OpAttrs().Set("use_nesterov", use_nesterov_));
}

void RMSPropOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "rms", OnesInitializer());
    if (options_.is_centered) MakeSlot(scope, variable, "mg", ZerosInitializer());
    MakeSlot(scope, variable, "momentum", ZerosInitializer());
  }
}

void RMSPropOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  decay_ = FloatConstant(scope, "decay", options_.decay_value);
  momentum_ = FloatConstant(scope, "momentum", options_.momentum_value);
  epsilon_ = FloatConstant(scope, "epsilon", options_.epsilon_value);
}

Operation RMSPropOptimizer::Apply(const Scope& scope, const Output& gradient, const Output& indices,
                                  const Variable& variable) {
  const bool sparse = indices.valid();
  std::vector<ArgumentInput> inputs = {variable};
  if (options_.is_centered) inputs.push_back(GetSlot(variable, "mg"));
  inputs.push_back(GetSlot(variable, "rms"));
  inputs.push_back(GetSlot(variable, "momentum"));
  for (const Output& scalar : {rate_, decay_, momentum_, epsilon_}) {
    inputs.push_back(Cast(scope, scalar, variable.dtype()));
  }
  inputs.push_back(gradient);
  if (sparse) inputs.push_back(indices);
  const char* const plain = sparse ? "SparseApplyRMSProp" : "ApplyRMSProp";
  const char* const centered = sparse ? "SparseApplyCenteredRMSProp" : "ApplyCenteredRMSProp";
  return BuildOp(scope, options_.is_centered ? centered : plain, inputs);
}

Operation RMSPropOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                       const Variable& variable) {
  return Apply(scope, gradient, Output(), variable);
}

Operation RMSPropOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                        const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return Apply(scope, g.values, g.indices, variable);
}

void AdagradOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    MakeSlot(scope, variable, "accumulator", ConstantInitializer(initial_accumulator_value_));
  }
}

void AdagradOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
}

Operation AdagradOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                       const Variable& variable) {
  return BuildOp(
      scope, "ApplyAdagrad",
      {variable, GetSlot(variable, "accumulator"), Cast(scope, rate_, variable.dtype()), gradient});
}

Operation AdagradOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                        const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyAdagrad",
                 {variable, GetSlot(variable, "accumulator"), Cast(scope, rate_, variable.dtype()),
                  g.values, g.indices});
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
