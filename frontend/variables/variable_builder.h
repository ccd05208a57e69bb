// VariableBuilder: the nodes of a variable, for tf.Variable and get_variable alike; and the cond
// that reads a variable where it has been initialised.
//
// Internal to the frontend.
//
//   Variable v = VariableBuilder(scope, "w", scope).FromInitializer(init, shape, dtype);
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: kept in the scope.
#ifndef WARPBEAM_FRONTEND_VARIABLES_VARIABLE_BUILDER_H_
#define WARPBEAM_FRONTEND_VARIABLES_VARIABLE_BUILDER_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/variables/variable_scope.h"

namespace warpbeam {
namespace frontend {

struct VariableData {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  bool trainable = true;
  Output ref;
  Output read;
  // What InitFromCheckpoint may put others in the place of.
  mutable Output initial_value;
  mutable Operation initializer;
  SourceLocation location;
  Constraint constraint;
  std::optional<VariableSlice> slice;
  // Of a variable that is cut; what is `ref` and so on of whole ones is then not valid.
  std::vector<Variable> parts;
  std::vector<int64_t> partitions;
};

class VariableBuilder {
 public:
  // `name` stands below the scope's name scope; `used_in` is where operators on the variable build.
  VariableBuilder(const Scope& scope, std::string name, const Scope& used_in)
      : scope_(scope.NoControlDependencies()), name_(std::move(name)), used_in_(used_in) {}

  VariableBuilder& trainable(bool value) {
    trainable_ = value;
    return *this;
  }
  VariableBuilder& use_resource(bool value) {
    use_resource_ = value;
    return *this;
  }
  VariableBuilder& constraint(Constraint value) {
    constraint_ = std::move(value);
    return *this;
  }
  // Whether it is a part of a whole.
  VariableBuilder& slice(std::optional<VariableSlice> value) {
    slice_ = std::move(value);
    return *this;
  }
  // What belongs to each element of `variable`, such as a slot: if that is a part, this is the part
  // of "<whole>/<own>", where `own` is what this variable's name has after that of `variable`.
  VariableBuilder& beside(const Variable& variable);
  VariableBuilder& collections(std::vector<std::string> keys) {
    collections_ = std::move(keys);
    return *this;
  }
  Variable FromInitializer(const Initializer& initializer, const Shape& shape, DType dtype);
  Variable FromInitializer(const Initializer& initializer, const VariablePart& part, DType dtype);
  Variable FromValue(const Input& value, DType dtype);
  // A variable whose nodes are there already, such as an imported one.
  static Variable FromNodes(const Scope& used_in, VariableData data);
  // From now on the variable begins with `value`, which `initializer` assigns.
  static void ReplaceInitializer(const Variable& variable, const Operation& initializer,
                                 const Output& value);

 private:
  void AddReference(const Scope& inside, const Scope& itself, const Output& initial_value,
                    VariableData* data) const;
  void AddResource(const Scope& inside, const Scope& itself, const Output& initial_value,
                   VariableData* data) const;
  Variable Finish(const Scope& inside, const Output& initial_value, const Shape& shape,
                  bool beside_itself);

  Scope scope_;
  std::string name_;
  Scope used_in_;
  bool trainable_ = true;
  bool use_resource_ = false;
  Constraint constraint_;
  std::optional<VariableSlice> slice_;
  std::vector<std::string> collections_;
};

// cond(IsVariableInitialized(v), v, initial value of v) in control flow of the first version, with
// TensorFlow's names: "IsVariableInitialized", "cond/Switch"…
Output BuildInitializedValue(const Scope& scope, const Variable& variable);

// `value` with every variable that it reads replaced by the variable's initialised value, so that
// it may be computed before them. Copies the nodes in between, named "<node>_<name>".
Output GuardAgainstUninitialized(const Scope& scope, const std::string& name, const Output& value);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_VARIABLES_VARIABLE_BUILDER_H_
