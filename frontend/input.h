// Input: what an argument of an operation may be: an Output, a Variable, or a value that becomes a
// constant beside the operation.
//
// A number or a list of numbers takes the type that the operation needs, as in Python: `x * 2`
// works for a float `x`. Where nothing decides, whole numbers are int32 (int64_t and sizes are
// int64) and fractions are float. A Tensor keeps its own type.
//
//   Output y = MatMul(scope, x, w);                   // outputs and variables
//   Output z = Reshape(scope, y, {-1, 784});          // a list of numbers: "Reshape/shape"
//   Output e = MatMul(scope, y, {{1, 0}, {0, 1}});    // lists of lists
//
// Ownership: values are copied. Thread safety: values. Errors: a number that the type cannot hold
// and lists of different lengths are an INVALID_ARGUMENT of the operation that they are given to.
#ifndef WARPBEAM_FRONTEND_INPUT_H_
#define WARPBEAM_FRONTEND_INPUT_H_

#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/host_tensor/literal.h"
#include "frontend/output.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {

class Input {
 public:
  Input(const Output& output) : output_(output) {}                                    // NOLINT
  Input(const Variable& variable) : output_(variable), reference_(variable.ref()) {}  // NOLINT
  Input(Tensor value) : value_(std::move(value)) {}                                   // NOLINT

  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  Input(T value) : Input(FromNumber(value)) {}  // NOLINT
  Input(std::string value)                      // NOLINT
      : value_(Tensor::Scalar<std::string>(std::move(value))) {}
  Input(const char* value) : Input(std::string(value)) {}  // NOLINT
  // A list of numbers of any types, of strings or of lists: {n, 784}, {{1, 0}, {0, 1}}.
  Input(std::initializer_list<Literal> values);  // NOLINT
  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  Input(const std::vector<T>& values) : Input(FromNumbers(values)) {}  // NOLINT
  Input(const std::vector<std::string>& values);                       // NOLINT
  // Whatever else stands for an output, such as a Gradient.
  template <typename T, typename = std::enable_if_t<std::is_class<T>::value &&
                                                    std::is_convertible<T, Output>::value>>
  Input(const T& value) : output_(value) {}  // NOLINT

  // A value to become a constant; otherwise `output()` is what was given, valid or not.
  bool is_value() const { return value_.has_value(); }
  const Output& output() const { return output_; }
  // The reference of a variable, for operations that change it; else not valid.
  const Output& reference() const { return reference_; }
  // The type of the output or tensor, and the one a number takes where nothing else decides.
  DType dtype() const;
  // Whether the value takes the type it is needed in.
  bool adapts() const { return natural_ != DType::kInvalid; }
  // The value in type `dtype`.
  StatusOr<Tensor> ValueAs(DType dtype) const;
  // How many dimensions the value or output has; -1 when not known.
  int rank() const;

 private:
  struct Number {
    Tensor value;
    DType natural;
  };
  explicit Input(Number number) : value_(std::move(number.value)), natural_(number.natural) {}
  template <typename T>
  static Number FromNumber(T value) {
    if constexpr (std::is_same<T, bool>::value) {
      return {Tensor::Scalar<bool>(value), DType::kInvalid};
    } else if constexpr (std::is_floating_point<T>::value) {
      return Fractions({static_cast<double>(value)}, true);
    } else {
      return Whole({static_cast<int64_t>(value)}, Literal::NaturalOf<T>(), true);
    }
  }
  template <typename T>
  static Number FromNumbers(const std::vector<T>& values) {
    if constexpr (std::is_same<T, bool>::value) {
      return {BoolVector(values), DType::kInvalid};
    } else if constexpr (std::is_floating_point<T>::value) {
      return Fractions({values.begin(), values.end()}, false);
    } else {
      return Whole({values.begin(), values.end()}, Literal::NaturalOf<T>(), false);
    }
  }
  static Tensor BoolVector(const std::vector<bool>& values);
  static Number Whole(std::vector<int64_t> values, DType natural, bool scalar);
  static Number Fractions(std::vector<double> values, bool scalar);

  Output output_;
  Output reference_;
  Tensor value_;  // numbers that adapt: int64 or double
  DType natural_ = DType::kInvalid;
  Status problem_;  // of a list that is no tensor
};

// The tensors of a list argument.
class InputList {
 public:
  InputList(std::initializer_list<Input> items) : items_(items) {}
  // Takes anything that an Input is made from.
  template <typename T>
  InputList(const std::vector<T>& items) : items_(items.begin(), items.end()) {}  // NOLINT

  const std::vector<Input>& items() const { return items_; }
  size_t size() const { return items_.size(); }

 private:
  std::vector<Input> items_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_INPUT_H_
