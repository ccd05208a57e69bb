// Input: what an argument of an operation may be: an Output, a Variable, or a value that becomes a
// constant beside the operation.
//
// A number or a list of numbers takes the type that the operation needs, as in Python: `x * 2`
// works for a float `x`. Where nothing decides, whole numbers are int32 (int64_t stays int64) and
// fractions are float. A Tensor keeps its own type.
//
//   Output y = MatMul(scope, x, w);                   // outputs and variables
//   Output z = Reshape(scope, y, {-1, 784});          // a list of numbers: "Reshape/shape"
//
// Ownership: values are copied. Thread safety: values. Errors: a number that the type cannot hold
// is an INVALID_ARGUMENT of the operation that it is given to.
#ifndef WARPBEAM_FRONTEND_INPUT_H_
#define WARPBEAM_FRONTEND_INPUT_H_

#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/output.h"
#include "frontend/variables/variable.h"

namespace warpbeam {
namespace frontend {

class Input {
 public:
  Input(const Output& output) : output_(output) {}                                    // NOLINT
  Input(const Variable& variable) : output_(variable), reference_(variable.ref()) {}  // NOLINT
  Input(Tensor value) : value_(std::move(value)) {}                                   // NOLINT

  Input(int value) : Input(Whole({value}, DType::kInt32, true)) {}      // NOLINT
  Input(int64_t value) : Input(Whole({value}, DType::kInt64, true)) {}  // NOLINT
  Input(float value) : Input(Fractions({value}, true)) {}               // NOLINT
  Input(double value) : Input(Fractions({value}, true)) {}              // NOLINT
  Input(bool value) : value_(Tensor::Scalar<bool>(value)) {}            // NOLINT
  Input(std::string value)                                              // NOLINT
      : value_(Tensor::Scalar<std::string>(std::move(value))) {}
  Input(const char* value) : Input(std::string(value)) {}  // NOLINT
  Input(std::initializer_list<int> values)                 // NOLINT
      : Input(Whole({values.begin(), values.end()}, DType::kInt32, false)) {}
  Input(std::initializer_list<int64_t> values)  // NOLINT
      : Input(Whole({values.begin(), values.end()}, DType::kInt64, false)) {}
  Input(std::initializer_list<float> values)  // NOLINT
      : Input(Fractions({values.begin(), values.end()}, false)) {}
  Input(std::initializer_list<double> values)  // NOLINT
      : Input(Fractions({values.begin(), values.end()}, false)) {}
  Input(std::initializer_list<const char*> values)  // NOLINT
      : Input(std::vector<std::string>(values.begin(), values.end())) {}
  Input(const std::vector<int32_t>& values)  // NOLINT
      : Input(Whole({values.begin(), values.end()}, DType::kInt32, false)) {}
  Input(const std::vector<int64_t>& values)  // NOLINT
      : Input(Whole({values.begin(), values.end()}, DType::kInt64, false)) {}
  Input(const std::vector<float>& values)  // NOLINT
      : Input(Fractions({values.begin(), values.end()}, false)) {}
  Input(const std::vector<double>& values)  // NOLINT
      : Input(Fractions({values.begin(), values.end()}, false)) {}
  Input(const std::vector<std::string>& values);  // NOLINT
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
  static Number Whole(std::vector<int64_t> values, DType natural, bool scalar);
  static Number Fractions(std::vector<double> values, bool scalar);

  Output output_;
  Output reference_;
  Tensor value_;  // numbers that adapt: int64 or double
  DType natural_ = DType::kInvalid;
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
