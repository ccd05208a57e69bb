// Determinants from LU factors, shared by the ops that give them as they are and as a logarithm.
//
//   SignedLog<float> d = LogDeterminant(n, lu, sign);    // the determinant is d.sign * exp(d.log)
//   float det = Determinant(n, lu, sign);
//
// Thread safety: pure. Errors: none; NaN gives NaN, an empty matrix has the determinant 1.
#ifndef WARPBEAM_OPS_LINALG_DETERMINANT_H_
#define WARPBEAM_OPS_LINALG_DETERMINANT_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace warpbeam {

template <class T>
struct SignedLog {
  T sign;
  decltype(std::abs(T())) log;  // of the absolute value
};

// `lu` holds the factors and `sign` is that of the permutation, as FactorLu gives them.
template <class T>
SignedLog<T> LogDeterminant(int64_t n, const T* lu, int sign) {
  SignedLog<T> result{T(sign), 0};
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = lu[i * (n + 1)];
    const auto size = std::abs(pivot);
    result.log += std::log(size);
    if (std::isinf(size)) continue;
    result.sign *= size == 0 ? pivot : pivot / size;
  }
  return result;
}

// The product of the pivots, scaled on the way so that no part of it leaves the type's range.
template <class T>
T Determinant(int64_t n, const T* lu, int sign) {
  T product = T(sign);
  int64_t exponent = 0;
  for (int64_t i = 0; i < n; ++i) {
    product *= lu[i * (n + 1)];
    const auto size = std::abs(product);
    if (!std::isnormal(size)) continue;
    const int shift = std::ilogb(size);
    product *= std::ldexp(decltype(size)(1), -shift);
    exponent += shift;
  }
  constexpr int64_t kFar = 5000;  // beyond every exponent of a double
  const int last = static_cast<int>(std::max(-kFar, std::min(exponent, kFar)));
  if constexpr (std::is_same_v<T, decltype(std::abs(T()))>) {
    return std::ldexp(product, last);
  } else {
    return T(std::ldexp(product.real(), last), std::ldexp(product.imag(), last));
  }
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_DETERMINANT_H_
