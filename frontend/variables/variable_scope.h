// get_variable: variables by name, shared between the parts of a program that name them alike.
//
// A variable scope is part of a Scope. Its name is put before the names of variables, and it says
// whether GetVariable makes variables, finds the ones that are there, or both; what else it says of
// variables is inherited inwards: initializer, regularizer, constraint, partitioner, dtype,
// use_resource and custom getter.
//
//   Scope layer = scope.VariableScope("layer1");
//   Variable w = GetVariable(layer, "w", {784, 500}, TruncatedNormalInitializer(0, 0.1));
//   Scope again = scope.VariableScope("layer1", VariableScopeOptions().reuse(true));
//   Variable same = GetVariable(again, "w", {784, 500});      // SameVariable(same, w)
//
// With a partitioner (partitioners.h) a variable is cut into parts: see `parts` in variable.h. A
// custom getter sees every GetVariable inside and may ask for another variable, or give what it
// makes of one:
//
//   const auto halved = [](const VariableGetter& getter, const Scope& s, const std::string& name,
//                          const Shape& shape, const GetVariableOptions& options) {
//     const Variable v = getter(s, name, shape, options);
//     return v.WithValue(Multiply(s, v, 0.5));
//   };
//   Scope half = scope.VariableScope("half", VariableScopeOptions().custom_getter(halved));
//
// Ownership: the graph keeps the variables. Thread safety: that of the Scope. Errors:
// ALREADY_EXISTS for making a variable twice (naming the line that made it), NOT_FOUND for reusing
// one that was never made, INVALID_ARGUMENT for a shape or type other than the variable's; kept in
// the scope.
#ifndef WARPBEAM_FRONTEND_VARIABLES_VARIABLE_SCOPE_H_
#define WARPBEAM_FRONTEND_VARIABLES_VARIABLE_SCOPE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"
#include "frontend/variables/initializers.h"
#include "frontend/variables/partitioners.h"
#include "frontend/variables/regularizers.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {

enum class Reuse { kInherit, kFalse, kTrue, kAuto };

struct GetVariableOptions;

// What makes or finds a variable by its full name, "layer1/w".
using VariableGetter =
    std::function<Variable(const Scope& scope, const std::string& name, const Shape& shape,
                           const GetVariableOptions& options)>;
// What is asked in its place, with the options complete. `getter` is that of the scope outside.
using CustomGetter = std::function<Variable(const VariableGetter& getter, const Scope& scope,
                                            const std::string& name, const Shape& shape,
                                            const GetVariableOptions& options)>;
// The getter of a scope that has `inner` inside of one with `outer`, which may be null.
CustomGetter InsideOf(const CustomGetter& outer, const CustomGetter& inner);

struct VariableScopeOptions {
  // `true` finds variables, `false` makes them; once true it is true for all scopes inside.
  VariableScopeOptions& reuse(bool value) {
    reuse_mode = value ? Reuse::kTrue : Reuse::kFalse;
    return *this;
  }
  // Finds a variable that is there, makes one that is not.
  VariableScopeOptions& auto_reuse() {
    reuse_mode = Reuse::kAuto;
    return *this;
  }
  VariableScopeOptions& initializer(Initializer value) {
    default_initializer = std::move(value);
    return *this;
  }
  VariableScopeOptions& regularizer(Regularizer value) {
    default_regularizer = std::move(value);
    return *this;
  }
  VariableScopeOptions& constraint(Constraint value) {
    default_constraint = std::move(value);
    return *this;
  }
  // For variables made within that have dimensions.
  VariableScopeOptions& partitioner(Partitioner value) {
    default_partitioner = std::move(value);
    return *this;
  }
  VariableScopeOptions& custom_getter(CustomGetter value) {
    getter = std::move(value);
    return *this;
  }
  // Of variables for which none is said.
  VariableScopeOptions& dtype(DType value) {
    default_dtype = value;
    return *this;
  }
  // Whether variables made within are resource variables.
  VariableScopeOptions& use_resource(bool value) {
    are_resources = value;
    return *this;
  }

  Reuse reuse_mode = Reuse::kInherit;
  Initializer default_initializer;
  Regularizer default_regularizer;
  Constraint default_constraint;
  Partitioner default_partitioner;
  CustomGetter getter;
  DType default_dtype = DType::kInvalid;
  std::optional<bool> are_resources;
};

// What tf.get_variable takes as keyword arguments.
struct GetVariableOptions {
  GetVariableOptions& dtype(DType value) {
    variable_dtype = value;
    return *this;
  }
  GetVariableOptions& initializer(Initializer value) {
    variable_initializer = std::move(value);
    return *this;
  }
  GetVariableOptions& regularizer(Regularizer value) {
    variable_regularizer = std::move(value);
    return *this;
  }
  // What the nodes of the penalty are called in place of the variable: "a/kernel/Regularizer" of
  // "a/weights", for layers that TensorFlow gave other names in the end.
  GetVariableOptions& penalty_name(std::string value) {
    name_of_penalty = std::move(value);
    return *this;
  }
  GetVariableOptions& constraint(Constraint value) {
    variable_constraint = std::move(value);
    return *this;
  }
  GetVariableOptions& partitioner(Partitioner value) {
    variable_partitioner = std::move(value);
    return *this;
  }
  // The value itself, in the place of an initializer; shape and type are then the value's.
  GetVariableOptions& initial_value(const Input& value) {
    variable_value = value;
    return *this;
  }
  GetVariableOptions& trainable(bool value) {
    is_trainable = value;
    return *this;
  }
  GetVariableOptions& collections(std::vector<std::string> value) {
    collection_keys = std::move(value);
    return *this;
  }
  // Whether to make a resource variable; else as the scope says. What is reused stays what it is.
  GetVariableOptions& use_resource(bool value) {
    is_resource = value;
    return *this;
  }

  DType variable_dtype = DType::kInvalid;  // else the scope's, else float
  Initializer variable_initializer;  // else the scope's, else Glorot uniform (zeros for integers)
  Regularizer variable_regularizer;  // else the scope's
  std::string name_of_penalty;       // else the variable's
  Constraint variable_constraint;    // else the scope's
  Partitioner variable_partitioner;  // else the scope's
  std::optional<Input> variable_value;
  bool is_trainable = true;
  std::optional<bool> is_resource;
  std::vector<std::string> collection_keys;  // empty: GraphKeys::kGlobalVariables
};

Variable GetVariable(ScopeRef scope, const std::string& name, const Shape& shape,
                     const GetVariableOptions& options = GetVariableOptions());
Variable GetVariable(ScopeRef scope, const std::string& name, const Shape& shape,
                     const Initializer& initializer);
// tf.get_variable(name, initializer=value): shape and type are those of the value.
Variable GetVariableFrom(ScopeRef scope, const std::string& name, const Input& initial_value,
                         const GetVariableOptions& options = GetVariableOptions());

// tf.create_partitioned_variables: the parts of a variable that is cut into `slicing[i]` parts
// along dimension i. Named by `scope.Named("x")`, else "PartitionedVariable".
HandleList<Variable> CreatePartitionedVariables(
    ScopeRef scope, const Shape& shape, const std::vector<int64_t>& slicing,
    const Initializer& initializer, const GetVariableOptions& options = GetVariableOptions());

// tf.get_variable_scope().reuse_variables(): from here on this variable scope, and whatever has
// been opened within it by SameVariableScope, finds variables instead of making them.
void ReuseVariables(const Scope& scope);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_VARIABLE_SCOPE_H_
