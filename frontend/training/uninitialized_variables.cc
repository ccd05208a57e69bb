#include "frontend/training/uninitialized_variables.h"

#include <cstdint>
#include <string>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/collections.h"
#include "frontend/math.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// shape[begin:end]; an end that is left out is that of `x`.
Output Part(const Scope& scope, const Output& shape, int begin, int end, bool from_begin,
            bool to_end) {
  const Scope slice = scope.NameScope("strided_slice");
  const Output first = Constant(slice.Named("stack"), {begin});
  const Output last = Constant(slice.Named("stack_1"), {end});
  const Output stride = Constant(slice.Named("stack_2"), {1});
  return BuildOutput(scope.Named(slice.name_scope()), "StridedSlice", {shape, first, last, stride},
                     OpAttrs()
                         .Set("begin_mask", int64_t{from_begin ? 1 : 0})
                         .Set("end_mask", int64_t{to_end ? 1 : 0}));
}

// The elements of a vector where `mask` is true, with the nodes of tf.boolean_mask, which takes
// tensors of any rank.
Output BooleanMask(const Scope& outer, const Output& values, const Output& mask, int count) {
  const Scope scope = outer.NameScope("boolean_mask");
  const auto shape = [&] { return Constant(scope.Named("Shape"), {count}); };
  const Output masked = Part(scope, shape(), 0, 1, false, false);
  const Output size =
      ReduceProd(scope, masked, Constant(scope.Named("Prod/reduction_indices"), {0}));
  const Output before = Part(scope, shape(), 0, 0, true, false);
  const Output after = Part(scope, shape(), 1, 0, false, true);
  const Scope concat = scope.NameScope("concat");
  const Output middle = Stack(concat.Named("values_1"), {size});
  const Output axis = Constant(concat.Named("axis"), 0);
  const Output flat_shape = BuildOutput(scope.Named(concat.name_scope()), "ConcatV2",
                                        {InputList({before, middle, after}), axis});
  const Output flat = Reshape(scope, values, flat_shape);
  const Output where = BuildOutput(scope, "Where", {Reshape(scope, mask, {-1})});
  const Output rows = BuildOutput(scope, "Squeeze", {where},
                                  OpAttrs().Set("squeeze_dims", std::vector<int64_t>{1}));
  return BuildOutput(scope, "GatherV2", {flat, rows, 0});
}

}  // namespace

Output ReportUninitializedVariables(ScopeRef scope_ref, const std::vector<Variable>& variables) {
  const Scope inside = scope_ref.scope().OpenScope("report_uninitialized_variables");
  const Scope cpu = inside.Device("/cpu:0");
  std::vector<Output> initialized;
  std::vector<std::string> names;
  for (const Variable& variable : variables) {
    initialized.push_back(BuildOutput(inside, "IsVariableInitialized", {variable}));
    names.push_back(variable.name());
  }
  if (variables.empty()) return Constant(cpu, std::vector<std::string>());
  const Output missing = BuildOutput(cpu, "LogicalNot", {Stack(cpu, initialized)});
  return BooleanMask(cpu, Constant(cpu, names), missing, static_cast<int>(names.size()));
}

Output ReportUninitializedVariables(ScopeRef scope_ref) {
  const Scope scope = scope_ref.scope();
  std::vector<Variable> variables = GlobalVariables(scope);
  const std::vector<Variable> local = GetVariables(scope, GraphKeys::kLocalVariables);
  variables.insert(variables.end(), local.begin(), local.end());
  return ReportUninitializedVariables(scope, variables);
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
