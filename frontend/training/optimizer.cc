#include "frontend/training/optimizer.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/variables/resource_form.h"
#include "frontend/variables/variable_builder.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// The gradients, each after all of them, as tf.tuple passes tensors on.
std::vector<Gradient> AfterAll(const Scope& scope, std::vector<Gradient> gradients) {
  const Scope inside = scope.NameScope("tuple");
  const auto part_of = [](const Gradient& gradient) {
    return gradient.is_slices() ? gradient.slices().values : gradient.dense();
  };
  std::vector<Operation> computed;
  for (const Gradient& gradient : gradients) {
    if (gradient.has_value()) computed.push_back(part_of(gradient));
  }
  const Operation all = Group(inside, computed);
  for (Gradient& gradient : gradients) {
    if (!gradient.has_value()) continue;
    const Output part = part_of(gradient);
    const Output passed = Identity(
        inside.ColocateWith(part).ControlDependencies({all}).Named("control_dependency"), part);
    gradient = gradient.is_slices() ? Gradient(IndexedSlices{passed, gradient.slices().indices,
                                                             gradient.slices().dense_shape})
                                    : Gradient(passed);
  }
  return gradients;
}

// The variables, those that are cut as their parts.
std::vector<Variable> PartsOf(const std::vector<Variable>& variables) {
  std::vector<Variable> all;
  for (const Variable& variable : variables) {
    for (const Variable& part : variable.parts()) all.push_back(part);
  }
  return all;
}

// `update`, and what the variable's constraint makes of the value after it.
Operation Constrained(const Scope& scope, const GradientAndVariable& entry,
                      const Operation& update) {
  const Variable& variable = entry.variable;
  if (variable.constraint() == nullptr || !scope.ok()) return update;
  if (entry.gradient.is_slices()) {
    scope.Fail(InvalidArgument("the variable '", variable.name(),
                               "' has a constraint, which needs ",
                               "all of its gradient, and this one is of some rows"));
    return update;
  }
  const Scope after = scope.ControlDependencies({update});
  const Output value = variable.is_resource()
                           ? ReadResource(after, variable.ref(), variable.dtype())
                           // TensorFlow reads "w/read", which may be the value before the update.
                           : BuildOutput(after, "Identity", {variable.ref()});
  return BuildOp(after, "Assign", {variable, variable.constraint()(after, value)});
}

}  // namespace

HandleList<GradientAndVariable> Optimizer::ComputeGradients(
    ScopeRef scope_ref, const Output& loss, const ComputeGradientsOptions& options) {
  const Scope scope = scope_ref.scope();
  const std::vector<Variable> variables =
      options.variable_list.empty() ? TrainableVariables(scope) : PartsOf(options.variable_list);
  if (variables.empty()) {
    scope.Fail(InvalidArgument(name_,
                               ": there are no variables to optimize; make them trainable "
                               "or name them in the options"));
  }
  GradientsOptions gradients_options;
  gradients_options.colocate_with_ops = options.colocate;
  gradients_options.gate_gradients = options.gate == GateGradients::kGateOp;
  std::vector<Gradient> gradients = Gradients(scope, {loss}, variables, gradients_options);
  if (options.gate == GateGradients::kGateGraph) gradients = AfterAll(scope, gradients);
  std::vector<GradientAndVariable> result;
  for (size_t i = 0; i < variables.size(); ++i) {
    result.push_back({gradients[i], variables[i]});
  }
  return result;
}

std::vector<Operation> Optimizer::BuildUpdates(const Scope& scope,
                                               const std::vector<GradientAndVariable>& gradients) {
  std::vector<Operation> updates;
  for (const GradientAndVariable& entry : gradients) {
    if (!entry.gradient.has_value()) continue;
    const Scope beside =
        scope.NameScope("update_" + entry.variable.name()).ColocateWith(entry.variable.op());
    const Operation update = entry.gradient.is_slices()
                                 ? ApplySparse(beside, entry.gradient.slices(), entry.variable)
                                 : ApplyDense(beside, entry.gradient.dense(), entry.variable);
    updates.push_back(Constrained(beside, entry, update));
  }
  if (updates.empty() && scope.ok()) {
    std::string names;
    for (const GradientAndVariable& entry : gradients) names += " " + entry.variable.name();
    scope.Fail(InvalidArgument(name_, ": no variable has a gradient; the loss does not depend on",
                               names.empty() ? " any" : names));
  }
  return updates;
}

Operation Optimizer::ApplyGradients(ScopeRef scope_ref,
                                    const std::vector<GradientAndVariable>& gradients,
                                    const Variable& global_step) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return Operation();
  std::vector<Variable> variables;
  for (const GradientAndVariable& entry : gradients) {
    if (entry.gradient.has_value()) variables.push_back(entry.variable);
  }
  CreateSlots(scope.NoControlDependencies().Named(""), variables);
  const Scope inside = scope.OpenScope(name_);
  const Scope whole = inside.Named(inside.name_scope());
  Prepare(inside);
  const std::vector<Operation> updates = BuildUpdates(inside, gradients);
  Operation train;
  if (global_step.valid()) {
    const Operation done = Finish(inside.Named("update"), updates);
    train = BuildOp(whole.ControlDependencies({done}).ColocateWith(global_step.op()), "AssignAdd",
                    {global_step, 1});
  } else {
    train = Finish(whole, updates);
  }
  AddToCollection(scope, GraphKeys::kTrainOp, train);
  return train;
}

Operation Optimizer::Minimize(ScopeRef scope_ref, const Output& loss, const Variable& global_step,
                              const ComputeGradientsOptions& options) {
  const Scope scope = scope_ref.scope();
  return ApplyGradients(scope, ComputeGradients(scope.Named(""), loss, options), global_step);
}

Variable Optimizer::GetSlot(const Variable& variable, const std::string& slot) const {
  const auto found = slots_.find({slot, variable});
  return found == slots_.end() ? Variable() : found->second;
}

std::vector<std::string> Optimizer::GetSlotNames() const {
  std::vector<std::string> names;
  for (const auto& slot : slots_) {
    // The map goes by the name first.
    if (names.empty() || names.back() != slot.first.first) names.push_back(slot.first.first);
  }
  return names;
}

HandleList<Variable> Optimizer::Variables() const {
  std::vector<Variable> all = NonSlotVariables();
  for (const auto& slot : slots_) all.push_back(slot.second);
  std::sort(all.begin(), all.end(),
            [](const Variable& a, const Variable& b) { return a.name() < b.name(); });
  return all;
}

void Optimizer::CreateSlots(const Scope&, const std::vector<Variable>&) {}

namespace {

VariableBuilder SlotBuilder(const Scope& scope, const Variable& variable, const std::string& name) {
  const Scope beside = scope.WithPrefix("").ColocateWith(variable.op());
  VariableBuilder builder(beside, variable.name() + "/" + name, scope);
  builder.trainable(false).collections({GraphKeys::kGlobalVariables});
  builder.use_resource(variable.is_resource()).beside(variable);
  return builder;
}

}  // namespace

Variable Optimizer::MakeSlot(const Scope& scope, const Variable& variable, const std::string& slot,
                             const Initializer& initializer, const std::string& name) {
  Variable& made = slots_[{slot, variable}];
  if (!made.valid()) {
    made = SlotBuilder(scope, variable, name.empty() ? name_ : name)
               .FromInitializer(initializer, variable.shape(), variable.dtype());
  }
  return made;
}

Variable Optimizer::MakeSlotFrom(const Scope& scope, const Variable& variable,
                                 const std::string& slot, const Output& initial_value) {
  Variable& made = slots_[{slot, variable}];
  if (!made.valid()) {
    made = SlotBuilder(scope, variable, name_).FromValue(initial_value, variable.dtype());
  }
  return made;
}

Operation Optimizer::Assign(const Scope& scope, const char* op, const Variable& variable,
                            const Output& value) const {
  return BuildOp(scope, op, {variable, value}, UpdateAttrs());
}

IndexedSlices Optimizer::Deduplicate(const Scope& scope, const IndexedSlices& slices) {
  const Operation unique = BuildOp(scope, "Unique", {slices.indices});
  const Output rows = OutputOf(scope, unique, "y"), place = OutputOf(scope, unique, "idx");
  const Output shape = BuildOutput(scope, "Shape", {rows});
  const Scope slice = scope.NameScope("strided_slice");
  const Output begin = Constant(slice.Named("stack"), {0});
  const Output end = Constant(slice.Named("stack_1"), {1});
  const Output stride = Constant(slice.Named("stack_2"), {1});
  const Output count =
      BuildOutput(scope.Named(slice.name_scope()), "StridedSlice", {shape, begin, end, stride},
                  OpAttrs().Set("shrink_axis_mask", int64_t{1}));
  const Output values = BuildOutput(scope, "UnsortedSegmentSum", {slices.values, place, count});
  return {values, rows, slices.dense_shape};
}

Operation Optimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                 const Variable& variable) {
  return ApplyDense(scope, Gradient(gradient).dense(), variable);
}

Operation Optimizer::Finish(const Scope& scope, const std::vector<Operation>& updates) {
  return Group(scope, updates);
}

void GradientDescentOptimizer::Prepare(const Scope& scope) {
  rate_ = AsOutput(scope.Named("learning_rate"), learning_rate_);
}

Operation GradientDescentOptimizer::ApplyDense(const Scope& scope, const Output& gradient,
                                               const Variable& variable) {
  return BuildOp(scope, "ApplyGradientDescent",
                 {variable, Cast(scope, rate_, variable.dtype()), gradient}, UpdateAttrs());
}

// Rows that occur twice need no summing first: the step is linear in them.
Operation GradientDescentOptimizer::ApplySparse(const Scope& scope, const IndexedSlices& gradient,
                                                const Variable& variable) {
  const Output rate = Cast(scope, rate_, variable.dtype());
  const Output step = Multiply(scope.Named("mul"), gradient.values, rate);
  return BuildOp(scope, "ScatterSub", {variable, gradient.indices, step}, UpdateAttrs());
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
