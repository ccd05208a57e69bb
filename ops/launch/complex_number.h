// ComplexNumber: std::complex as GPUs can have it, whose operators are host code in the CUDA pass.
// Stored alike, and with the same names, so that one functor serves both.
//
//   GpuElement<std::complex<float>> sum(0);          // a ComplexNumber<float>
//   const std::complex<float>* numbers = nullptr;
//   const ComplexNumber<float>* same = GpuData(numbers);
//
// Products and quotients are those of the formulas, which give NaN for some infinite operands where
// C asks for infinity; a quotient by zero is infinite as in C. Functions: complex_functions.h.
//
// Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_LAUNCH_COMPLEX_NUMBER_H_
#define WARPBEAM_OPS_LAUNCH_COMPLEX_NUMBER_H_

#include <complex>
#include <limits>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"

namespace warpbeam::WB_PASS {

// The absolute value of the number with these parts.
WB_HD inline float Hypot(float x, float y) { return ::hypotf(x, y); }
WB_HD inline double Hypot(double x, double y) { return ::hypot(x, y); }

template <class R>
class ComplexNumber {
 public:
  using value_type = R;

  ComplexNumber() = default;
  WB_HD explicit ComplexNumber(R real, R imaginary = R(0)) : real_(real), imaginary_(imaginary) {}
  WB_HD R real() const { return real_; }
  WB_HD R imag() const { return imaginary_; }

  WB_HD ComplexNumber operator-() const { return ComplexNumber(-real_, -imaginary_); }
  WB_HD friend ComplexNumber operator+(ComplexNumber a, ComplexNumber b) {
    return ComplexNumber(a.real_ + b.real_, a.imaginary_ + b.imaginary_);
  }
  WB_HD friend ComplexNumber operator-(ComplexNumber a, ComplexNumber b) {
    return ComplexNumber(a.real_ - b.real_, a.imaginary_ - b.imaginary_);
  }
  WB_HD friend ComplexNumber operator*(ComplexNumber a, ComplexNumber b) {
    return ComplexNumber(a.real_ * b.real_ - a.imaginary_ * b.imaginary_,
                         a.real_ * b.imaginary_ + a.imaginary_ * b.real_);
  }
  WB_HD friend ComplexNumber operator*(ComplexNumber a, R b) {
    return ComplexNumber(a.real_ * b, a.imaginary_ * b);
  }
  WB_HD friend ComplexNumber operator/(ComplexNumber a, R b) {
    return ComplexNumber(a.real_ / b, a.imaginary_ / b);
  }
  // By the ratio of the divisor's parts: their squares might be too large or too small.
  WB_HD friend ComplexNumber operator/(ComplexNumber a, ComplexNumber b) {
    if (b == ComplexNumber(R(0))) {
      return a * CopySign(std::numeric_limits<R>::infinity(), b.real_);
    }
    if (Abs(b.real_) >= Abs(b.imaginary_)) {
      const R ratio = b.imaginary_ / b.real_, size = b.real_ + b.imaginary_ * ratio;
      return ComplexNumber((a.real_ + a.imaginary_ * ratio) / size,
                           (a.imaginary_ - a.real_ * ratio) / size);
    }
    const R ratio = b.real_ / b.imaginary_, size = b.real_ * ratio + b.imaginary_;
    return ComplexNumber((a.real_ * ratio + a.imaginary_) / size,
                         (a.imaginary_ * ratio - a.real_) / size);
  }
  WB_HD friend bool operator==(ComplexNumber a, ComplexNumber b) {
    return a.real_ == b.real_ && a.imaginary_ == b.imaginary_;
  }
  WB_HD friend bool operator!=(ComplexNumber a, ComplexNumber b) { return !(a == b); }

 private:
  R real_, imaginary_;
};

namespace internal {
template <class T>
struct GpuElementOf {
  using type = T;
};
template <class R>
struct GpuElementOf<std::complex<R>> {
  using type = ComplexNumber<R>;
};
}  // namespace internal

// How block functions see an element of a tensor of T.
template <class T>
using GpuElement = typename internal::GpuElementOf<T>::type;

template <class T>
const GpuElement<T>* GpuData(const T* x) {
  return reinterpret_cast<const GpuElement<T>*>(x);
}
template <class T>
GpuElement<T>* GpuData(T* x) {
  return reinterpret_cast<GpuElement<T>*>(x);
}

}  // namespace warpbeam::WB_PASS

namespace warpbeam {

template <typename R>
inline constexpr bool kIsComplex<WB_PASS::ComplexNumber<R>> = true;

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LAUNCH_COMPLEX_NUMBER_H_
