// Determinants from LU factors, shared by the ops that give them as they are and as a logarithm, on
// the CPU and on GPUs (where complex numbers are a ComplexNumber).
//
//   SignedLog<float> d = LogDeterminant(n, lu, sign);    // the determinant is d.sign * exp(d.log)
//   float det = Determinant(n, lu, sign);
//
// Thread safety: pure. Errors: none; NaN gives NaN, an empty matrix has the determinant 1.
#ifndef WARPBEAM_OPS_LINALG_DETERMINANT_H_
#define WARPBEAM_OPS_LINALG_DETERMINANT_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/linalg/pivot_size.h"

namespace warpbeam::WB_PASS {

WB_HD inline int ExponentOf(float x) { return ::ilogbf(x); }
WB_HD inline int ExponentOf(double x) { return ::ilogb(x); }
WB_HD inline float TimesPowerOfTwo(float x, int exponent) { return ::ldexpf(x, exponent); }
WB_HD inline double TimesPowerOfTwo(double x, int exponent) { return ::ldexp(x, exponent); }

template <class T>
struct SignedLog {
  T sign;
  decltype(PivotSize(T())) log;  // of the absolute value
};

// `lu` holds the factors and `sign` is that of the permutation, as FactorLu gives them.
template <class T>
WB_HD SignedLog<T> LogDeterminant(int64_t n, const T* lu, int sign) {
  SignedLog<T> result{T(sign), 0};
  for (int64_t i = 0; i < n; ++i) {
    const T pivot = lu[i * (n + 1)];
    const auto size = PivotSize(pivot);
    result.log += Log(size);
    if (size > std::numeric_limits<decltype(PivotSize(T()))>::max()) continue;
    result.sign = result.sign * (size == 0 ? pivot : pivot / size);
  }
  return result;
}

// The product of the pivots, scaled on the way so that no part of it leaves the type's range.
template <class T>
WB_HD T Determinant(int64_t n, const T* lu, int sign) {
  using R = decltype(PivotSize(T()));
  T product = T(sign);
  int64_t exponent = 0;
  for (int64_t i = 0; i < n; ++i) {
    product = product * lu[i * (n + 1)];
    const R size = PivotSize(product);
    const bool is_normal =
        size >= std::numeric_limits<R>::min() && size <= std::numeric_limits<R>::max();
    if (!is_normal) continue;
    const int shift = ExponentOf(size);
    product = product * TimesPowerOfTwo(R(1), -shift);
    exponent += shift;
  }
  constexpr int64_t kFar = 5000;  // beyond every exponent of a double
  const int last = static_cast<int>(exponent < -kFar ? -kFar : exponent > kFar ? kFar : exponent);
  if constexpr (kIsComplex<T>) {
    return T(TimesPowerOfTwo(product.real(), last), TimesPowerOfTwo(product.imag(), last));
  } else {
    return TimesPowerOfTwo(product, last);
  }
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LINALG_DETERMINANT_H_
