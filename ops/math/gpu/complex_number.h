// ComplexNumber: std::complex as block functions can have it, whose operators are host code in the
// CUDA pass. Stored alike.
//
//   GpuElement<std::complex<float>> sum(0);          // a ComplexNumber<float>
//   const std::complex<float>* numbers = nullptr;
//   const ComplexNumber<float>* same = GpuData(numbers);
//
// Thread safety: values. Errors: none.
#ifndef WARPBEAM_OPS_MATH_GPU_COMPLEX_NUMBER_H_
#define WARPBEAM_OPS_MATH_GPU_COMPLEX_NUMBER_H_

#include <complex>

#include "ops/launch/math.h"
#include "ops/launch/pass.h"

namespace warpbeam::WB_PASS {

template <class R>
struct ComplexNumber {
  R re, im;
  ComplexNumber() = default;
  WB_HD explicit ComplexNumber(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
  WB_HD friend ComplexNumber operator+(ComplexNumber a, ComplexNumber b) {
    return ComplexNumber(a.re + b.re, a.im + b.im);
  }
  WB_HD friend ComplexNumber operator-(ComplexNumber a, ComplexNumber b) {
    return ComplexNumber(a.re - b.re, a.im - b.im);
  }
  WB_HD friend ComplexNumber operator*(ComplexNumber a, ComplexNumber b) {
    return ComplexNumber(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  // By a real number, which is all that means need.
  WB_HD friend ComplexNumber operator/(ComplexNumber a, R b) {
    return ComplexNumber(a.re / b, a.im / b);
  }
};

template <class R>
WB_HD ComplexNumber<R> Conj(ComplexNumber<R> x) {
  return ComplexNumber<R>(x.re, -x.im);
}

template <class T>
inline constexpr bool kIsComplexNumber = false;
template <class R>
inline constexpr bool kIsComplexNumber<ComplexNumber<R>> = true;

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

#endif  // WARPBEAM_OPS_MATH_GPU_COMPLEX_NUMBER_H_
