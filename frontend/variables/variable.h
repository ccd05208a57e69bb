// Variable: a tensor that lives as long as the session, made with a value (tf.Variable) or through
// get_variable (variable_scope.h).
//
// It is TensorFlow 1's reference variable and has its nodes and names: "w" (VariableV2),
// "w/Assign", "w/read", and the initial value below "w/Initializer" or as "w/initial_value". Where
// a function takes an Output or Input, a Variable stands for its value; operations that change it
// (Assign, ApplyGradientDescent) get the reference.
//
// With use_resource it is a resource variable: "w" (VarHandleOp), "w/Assign",
// "w/Read/ReadVariableOp" and "w/IsInitialized/VarIsInitializedOp". Everything that takes a
// Variable takes one of either kind; ops that change it are then the resource's (AssignVariableOp,
// ResourceApplyGradientDescent). Each operation that is given one as an Input reads it anew, after
// what the scope's control dependencies name; converted to an Output it is the value at
// "w/Read/ReadVariableOp".
//
//   Variable step(scope, 0, VariableOptions().trainable(false)); // tf.Variable(0, trainable=False)
//   session.Run({GlobalVariablesInitializer(scope)});
//
// A variable of a scope with a partitioner is cut into parts, which are variables of their own:
// "w/part_0", "w/part_1"… Collections, optimizers and checkpoints have the parts, checkpoints under
// the name of the whole. The whole can be read and assigned; its value is that of the parts,
// joined: "w", of "w/ConcatPartitions/concat".
//
// Ownership: a handle with shared data; see Output. Thread safety: that of the Scope. Errors: kept
// in the scope; the variable is then not valid.
#ifndef WARPBEAM_FRONTEND_VARIABLES_VARIABLE_H_
#define WARPBEAM_FRONTEND_VARIABLES_VARIABLE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/output.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

class Input;
struct VariableData;

// What a variable's value becomes after each update by an optimizer, such as the nearest value that
// is allowed.
using Constraint = std::function<Output(const Scope& scope, const Output& value)>;

// Which part of a whole a variable is.
struct VariableSlice {
  std::string full_name;
  Shape full_shape;
  std::vector<int64_t> offset;  // one for each dimension

  // "4 2 0,2:0,2" of a part with this shape, as checkpoints' ops have it.
  std::string Spec(const Shape& shape) const;
};

// What tf.Variable takes as keyword arguments.
class VariableOptions {
 public:
  // The trainable variables are what optimizers change by default.
  VariableOptions& trainable(bool value) {
    trainable_ = value;
    return *this;
  }
  // The type of the initial value, where that is a number.
  VariableOptions& dtype(DType value) {
    dtype_ = value;
    return *this;
  }
  // Whether it is a resource variable; else as the variable scope says.
  VariableOptions& use_resource(bool value) {
    use_resource_ = value;
    return *this;
  }
  VariableOptions& constraint(Constraint value) {
    constraint_ = std::move(value);
    return *this;
  }
  // Instead of GraphKeys::kGlobalVariables.
  VariableOptions& collections(std::vector<std::string> value) {
    collections_ = std::move(value);
    has_collections_ = true;
    return *this;
  }

 private:
  friend class Variable;
  friend class VariableBuilder;
  bool trainable_ = true;
  DType dtype_ = DType::kInvalid;
  std::optional<bool> use_resource_;
  Constraint constraint_;
  bool has_collections_ = false;
  std::vector<std::string> collections_;
};

class Variable {
 public:
  Variable() = default;
  // Named by `scope.Named("x")`, else "Variable". An initial value that reads other variables sees
  // them initialised, in whatever order initialisers run.
  Variable(ScopeRef scope, const Input& initial_value,
           const VariableOptions& options = VariableOptions());

  bool valid() const { return data_ != nullptr; }
  std::string name() const;  // "layer1/w", the operation's
  DType dtype() const;
  const Shape& shape() const;
  bool trainable() const;
  bool is_resource() const;
  // Empty for none.
  const Constraint& constraint() const;
  // Where the program made it.
  SourceLocation location() const;

  // Into how many parts each dimension is cut; empty where the variable is whole.
  const std::vector<int64_t>& partitions() const;
  bool is_partitioned() const { return !partitions().empty(); }
  // In the order of their places; of one that is whole, or not valid, itself alone.
  HandleList<Variable> parts() const;
  // Of a part, which it is; null for other variables.
  const VariableSlice* slice() const;

  Operation op() const { return ref().op(); }
  // The value: "w/read" or "w/Read/ReadVariableOp".
  Output read() const;
  // The variable itself, for operations that change it: a reference or a resource's handle. Not
  // valid for one that is cut into parts.
  Output ref() const;
  Operation initializer() const;  // "w/Assign"
  Output initial_value() const;
  // Its value where it has been initialised, else its initial value.
  Output InitializedValue(ScopeRef scope) const;
  operator Output() const { return read(); }  // NOLINT: a variable stands for its value

  // The same variable for use in `scope`: operators on it build there.
  Variable UsedIn(const Scope& scope) const;
  // What reads `value` where the variable would be read, and cannot be changed: for custom getters
  // (variable_scope.h) that make something else of the variables they get.
  Variable WithValue(const Output& value) const;

  // As Python's brackets, of the value: frontend/arrays/indexing.h.
  Output operator[](const Index& index) const;
  template <typename... Rest>
  Output operator()(const Index& first, const Rest&... rest) const;

 private:
  friend class VariableBuilder;
  friend bool SameVariable(const Variable& a, const Variable& b);
  friend struct VariableOrder;
  std::shared_ptr<const VariableData> data_;
  std::shared_ptr<const ScopeContext> used_in_;
};

// Whether both are the same variable, wherever they are used, or neither is valid. `==` does not
// compile, and `<` compares values.
inline bool SameVariable(const Variable& a, const Variable& b) { return a.data_ == b.data_; }

bool ContainsVariable(const std::vector<Variable>& variables, const Variable& variable);

// An order for maps by variable: `std::map<Variable, Output, VariableOrder>`. It is not the same in
// every run of the program.
struct VariableOrder {
  bool operator()(const Variable& a, const Variable& b) const { return a.data_ < b.data_; }
  bool operator()(const std::pair<std::string, Variable>& a,
                  const std::pair<std::string, Variable>& b) const {
    return a.first != b.first ? a.first < b.first : a.second.data_ < b.second.data_;
  }
};

template <>
struct IsGraphHandle<Variable> : std::true_type {};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_VARIABLE_H_
