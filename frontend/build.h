// BuildOp: adds one operation to the graph of a scope. The generated wrappers (frontend/ops) and
// the composite functions are made of it.
//
// Inputs stand in the order of the op's arguments; numbers become constants named after the
// argument ("Reshape/shape") in the type that the op needs; attributes that follow from the inputs
// are left out. An op that takes a variable's reference is built beside the variable.
//
//   Operation op = BuildOp(scope.Named("total"), "AddN", {InputList(losses)});
//   Output sum = BuildOutput(scope, "MatMul", {a, b}, OpAttrs().Set("transpose_b", true));
//
// Ownership: the graph owns the node. Thread safety: that of the Scope. Errors: kept in the scope;
// the result is then not valid.
#ifndef WARPBEAM_FRONTEND_BUILD_H_
#define WARPBEAM_FRONTEND_BUILD_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Attributes of an operation; the wrappers' attribute types are made from it.
class OpAttrs {
 public:
  OpAttrs& Set(const char* name, AttrValue value) {
    map_.Set(name, std::move(value));
    return *this;
  }
  const AttrMap& map() const { return map_; }

 private:
  AttrMap map_;
};

// The attributes "seed" and "seed2" of a random operation.
OpAttrs SeedAttrs(const Scope& scope, const std::optional<int64_t>& seed);

// What one argument is given: a tensor or a list of tensors.
class ArgumentInput {
 public:
  template <typename T, typename = std::enable_if_t<std::is_convertible<T, Input>::value>>
  ArgumentInput(const T& value) : items_{Input(value)} {}                         // NOLINT
  ArgumentInput(const InputList& list) : items_(list.items()), is_list_(true) {}  // NOLINT

  const std::vector<Input>& items() const { return items_; }
  bool is_list() const { return is_list_; }

 private:
  std::vector<Input> items_;
  bool is_list_ = false;
};

Operation BuildOp(ScopeRef scope, const char* op, const std::vector<ArgumentInput>& inputs,
                  const OpAttrs& attrs = OpAttrs());
// Its first output, for use in the scope.
Output BuildOutput(ScopeRef scope, const char* op, const std::vector<ArgumentInput>& inputs,
                   const OpAttrs& attrs = OpAttrs());
// All outputs, for use in the scope; `count` of outputs that are not valid after an error.
OutputList BuildOutputs(ScopeRef scope, const char* op, const std::vector<ArgumentInput>& inputs,
                        const OpAttrs& attrs, int count = 0);
// The outputs [begin, begin + size) of an operation that belong to the output argument `name`.
OutputList OutputsOf(const Scope& scope, const Operation& op, const char* name);
// The same for an argument that is one tensor; not valid when the operation is not.
Output OutputOf(const Scope& scope, const Operation& op, const char* name);

// The operation that outputs and lists of outputs belong to; not valid where they are not.
inline Operation OperationOf(const Output& output) { return output.op(); }
inline Operation OperationOf(const OutputList& outputs) { return outputs[0].op(); }
template <typename First, typename... Rest>
Operation OperationOf(const First& first, const Rest&... rest) {
  const Operation operation = OperationOf(first);
  return operation.valid() ? operation : OperationOf(rest...);
}

// A constant; named by `scope.Named`, else "Const".
Output Constant(ScopeRef scope, const Input& value);
Output Constant(ScopeRef scope, const Input& value, DType dtype);
// One value for every element of `shape`, or as many values as elements.
Output Constant(ScopeRef scope, const Input& value, DType dtype, const Shape& shape);
// `value` as an output: itself when it is one, else a constant named by `scope.Named`.
Output AsOutput(ScopeRef scope, const Input& value, DType dtype = DType::kInvalid);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_BUILD_H_
