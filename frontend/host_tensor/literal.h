// Literal: numbers, strings and nested lists of them as a program writes them down.
//
//   Literal one = 1, row = {1, 2.5}, matrix = {{1, 2}, {3, 4}}, names = {"a", "b"};
//   StatusOr<Tensor> t = matrix.As(DType::kFloat);           // float[2,2]
//
// Numbers of all types may be mixed. Whole numbers and fractions take the type that is needed;
// where nothing decides they are int32 (int64 where one of them is int64_t or unsigned, such as a
// size) and float, and an empty list is float.
//
// Ownership: a value. Thread safety: that of a value. Errors: INVALID_ARGUMENT of As: lists of
// different lengths at one depth, numbers beside strings or bools, a number that the type cannot
// hold.
#ifndef WARPBEAM_FRONTEND_HOST_TENSOR_LITERAL_H_
#define WARPBEAM_FRONTEND_HOST_TENSOR_LITERAL_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/types.h"

namespace warpbeam {
namespace frontend {

class Literal {
 public:
  // An empty list, `{}`.
  Literal() : dims_{0} {}
  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  Literal(T value) {  // NOLINT: literals are written where a Literal is taken
    if constexpr (std::is_same<T, bool>::value) {
      SetBool(value);
    } else if constexpr (std::is_floating_point<T>::value) {
      SetFraction(static_cast<double>(value));
    } else {
      SetWhole(static_cast<int64_t>(value), NaturalOf<T>());
      if (std::is_unsigned<T>::value && value > T{} && static_cast<int64_t>(value) < 0) {
        problem_ = "a number beyond int64";
      }
    }
  }
  Literal(std::string value);                                  // NOLINT
  Literal(const char* value) : Literal(std::string(value)) {}  // NOLINT
  Literal(std::initializer_list<Literal> items);               // NOLINT
  // Lists that a program has computed.
  template <typename T>
  Literal(const std::vector<T>& items)  // NOLINT
      : Literal(FromItems(std::vector<Literal>(items.begin(), items.end()))) {}

  // The type where nothing decides.
  DType dtype() const { return dtype_; }
  // Whether the values take the type that is needed.
  bool adapts() const { return dtype_ != DType::kBool && dtype_ != DType::kString; }
  // Whether no number among them has a fraction.
  bool is_whole() const { return fractions_.empty(); }
  const std::vector<int64_t>& dims() const { return dims_; }
  StatusOr<Tensor> As(DType dtype) const;

  // int32 for what fits it always, else int64.
  template <typename T>
  static constexpr DType NaturalOf() {
    return sizeof(T) < 4 || (sizeof(T) == 4 && std::is_signed<T>::value) ? DType::kInt32
                                                                         : DType::kInt64;
  }

 private:
  static Literal FromItems(const std::vector<Literal>& items);
  void SetBool(bool value);
  void SetWhole(int64_t value, DType dtype);
  void SetFraction(double value);
  void Append(const Literal& item);

  DType dtype_ = DType::kFloat;
  std::vector<int64_t> dims_;
  // One of these, in row-major order.
  std::vector<int64_t> whole_;  // bools too
  std::vector<double> fractions_;
  std::vector<std::string> strings_;
  const char* problem_ = nullptr;
};

// `value`, whole numbers as int64 or fractions as double, in type `dtype`. INVALID_ARGUMENT for
// numbers that it cannot hold.
StatusOr<Tensor> ConvertNumbers(const Tensor& value, DType dtype);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_HOST_TENSOR_LITERAL_H_
