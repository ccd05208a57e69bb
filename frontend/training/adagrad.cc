#include "frontend/training/adagrad.h"

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// `value` for every element of the variable, as a constant beside it.
Output Filled(const Scope& scope, const Variable& variable, double value) {
  return Constant(scope.ColocateWith(variable.op()), value, variable.dtype(), variable.shape());
}

void RequirePositive(const Scope& scope, const std::string& optimizer, double value) {
  if (value > 0) return;
  scope.Fail(InvalidArgument(optimizer, ": the accumulator's initial value must be positive, got ",
                             value));
}

}  // namespace

void AdagradOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  RequirePositive(scope, name(), initial_accumulator_value_);
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
      {variable, GetSlot(variable, "accumulator"), Cast(scope, rate_, variable.dtype()), gradient},
      UpdateAttrs());
}

Operation AdagradOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                        const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyAdagrad",
                 {variable, GetSlot(variable, "accumulator"), Cast(scope, rate_, variable.dtype()),
                  g.values, g.indices},
                 UpdateAttrs());
}

void ProximalAdagradOptimizer::CreateSlots(const Scope& scope,
                                           const std::vector<Variable>& variables) {
  RequirePositive(scope, name(), initial_accumulator_value_);
  for (const Variable& variable : variables) {
    if (GetSlot(variable, "accumulator").valid()) continue;
    MakeSlotFrom(scope, variable, "accumulator",
                 Filled(scope, variable, initial_accumulator_value_));
  }
}

void ProximalAdagradOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  l1_ = Constant(scope.Named("l1_regularization_strength"), l1_value_);
  l2_ = Constant(scope.Named("l2_regularization_strength"), l2_value_);
}

Operation ProximalAdagradOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                               const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  return BuildOp(
      scope, "ApplyProximalAdagrad",
      {variable, GetSlot(variable, "accumulator"), cast(rate_), cast(l1_), cast(l2_), gradient},
      UpdateAttrs());
}

Operation ProximalAdagradOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                                const Variable& variable) {
  const auto cast = [&](const Output& x) { return Cast(scope, x, variable.dtype()); };
  const IndexedSlices g = Deduplicate(scope, gradient);
  return BuildOp(scope, "SparseApplyProximalAdagrad",
                 {variable, GetSlot(variable, "accumulator"), cast(rate_), cast(l1_), cast(l2_),
                  g.values, g.indices},
                 UpdateAttrs());
}

void AdagradDAOptimizer::CreateSlots(const Scope& scope, const std::vector<Variable>& variables) {
  RequirePositive(scope, name(), options_.initial_value);
  for (const Variable& variable : variables) {
    if (GetSlot(variable, "gradient_accumulator").valid()) continue;
    const Output sum = Filled(scope, variable, 0);
    const Output squares = Filled(scope, variable, options_.initial_value);
    MakeSlotFrom(scope, variable, "gradient_accumulator", sum);
    MakeSlotFrom(scope, variable, "gradient_squared_accumulator", squares);
  }
}

void AdagradDAOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
  const Scope beside = scope.ColocateWith(rate_.op());
  next_step_ = Add(beside.Named("add"), Identity(beside, global_step_), 1);
}

Operation AdagradDAOptimizer::Apply(const Scope& scope, const Output& gradient,
                                    const Output& indices, const Variable& variable) {
  std::vector<ArgumentInput> inputs = {variable, GetSlot(variable, "gradient_accumulator"),
                                       GetSlot(variable, "gradient_squared_accumulator"), gradient};
  if (indices.valid()) inputs.push_back(indices);
  const Output step = Identity(scope, next_step_);
  for (const Input& scalar : {Input(rate_), Input(options_.l1_value), Input(options_.l2_value)}) {
    inputs.push_back(Cast(scope, scalar, variable.dtype()));
  }
  inputs.push_back(Cast(scope, step, DType::kInt64));
  return BuildOp(scope, indices.valid() ? "SparseApplyAdagradDA" : "ApplyAdagradDA", inputs,
                 UpdateAttrs());
}

Operation AdagradDAOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                         const Variable& variable) {
  return Apply(scope, gradient, Output(), variable);
}

Operation AdagradDAOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                          const Variable& variable) {
  const IndexedSlices g = Deduplicate(scope, gradient);
  return Apply(scope, g.values, g.indices, variable);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
