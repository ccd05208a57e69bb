// + - * / and unary minus on outputs and variables, with numbers on either side.
//
// The node is built in the scope in which the left operand (or, when that is a number, the right
// one) is used: the scope that it was made in, or the one it was passed through:
//
//   Output y = MatMul(layer, x, w) + b;          // "layer/add" on the layer's device
//   Output z = gpu(w) + b;                       // beside the scope `gpu`, wherever w was made
//   Output half = 0.5f * y;                      // the constant "layer/mul/x"
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope of the operand.
#ifndef WARPBEAM_FRONTEND_OPERATORS_H_
#define WARPBEAM_FRONTEND_OPERATORS_H_

#include <type_traits>

#include "frontend/input.h"
#include "frontend/output.h"

namespace warpbeam {
namespace frontend {

// A side of an operator, with the place in the program where the operator stands.
class Operand {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value ||
                                                    (std::is_class<T>::value &&
                                                     std::is_convertible<T, Output>::value)>>
  Operand(const T& value, SourceLocation where = SourceLocation::Here())  // NOLINT
      : input_(value), where_(where) {}

  const Input& input() const { return input_; }
  SourceLocation where() const { return where_; }

 private:
  Input input_;
  SourceLocation where_;
};

Output operator+(const Operand& a, const Operand& b);
Output operator-(const Operand& a, const Operand& b);
Output operator*(const Operand& a, const Operand& b);
Output operator/(const Operand& a, const Operand& b);
Output operator-(const Operand& a);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPERATORS_H_
