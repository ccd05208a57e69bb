// Python's operators on tensors, for outputs and variables, with numbers on either side.
//
// The node is built in the scope in which the left operand (or, when that is a number, the right
// one) is used: the scope that it was made in, or the one it was passed through:
//
//   Output y = MatMul(layer, x, w) + b;          // "layer/add" on the layer's device
//   Output z = gpu(w) + b;                       // beside the scope `gpu`, wherever w was made
//   Output half = 0.5f * y;                      // the constant "layer/mul/x"
//   Output inside = (y > 0) & (y < 1);           // "Greater", "Less", "and"
//   y += 1.0f;                                   // y is now the output of a new node
//
// `/` is a fraction of integers, too, and `%` has the sign of the divisor. `&`, `|`, `^` and `~`
// are logical for bool and go by bits for integers. `==` and `!=` do not compile, as they would say
// something else about two handles than about two tensors: Equal(scope, a, b) compares values,
// SameOutput(a, b) handles. Brackets are in indexing.h.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope of the operand; an
// operand that is not used in any scope, as `operation.output(0)`, is one. Of operands that were
// never built, or whose graph is gone, the result is as they are.
#ifndef WARPBEAM_FRONTEND_OPERATORS_H_
#define WARPBEAM_FRONTEND_OPERATORS_H_

#include <type_traits>

#include "frontend/arrays/indexing.h"
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
Output operator%(const Operand& a, const Operand& b);
Output operator-(const Operand& a);
Output operator+(const Operand& a);

Output operator<(const Operand& a, const Operand& b);
Output operator<=(const Operand& a, const Operand& b);
Output operator>(const Operand& a, const Operand& b);
Output operator>=(const Operand& a, const Operand& b);

Output operator&(const Operand& a, const Operand& b);
Output operator|(const Operand& a, const Operand& b);
Output operator^(const Operand& a, const Operand& b);
Output operator~(const Operand& a);

// `a` stands for the result from now on; no tensor changes.
Output& operator+=(Output& a, const Operand& b);  // NOLINT: as in `a += b`
Output& operator-=(Output& a, const Operand& b);  // NOLINT
Output& operator*=(Output& a, const Operand& b);  // NOLINT
Output& operator/=(Output& a, const Operand& b);  // NOLINT
Output& operator%=(Output& a, const Operand& b);  // NOLINT

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_OPERATORS_H_
