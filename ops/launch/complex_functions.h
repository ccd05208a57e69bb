// Functions of a ComplexNumber (ops/launch/complex_number.h), by the names that math.h has for
// other numbers; the host's std::complex has those of the standard library.
//
//   template <class V> WB_HD V Logistic(V x) { return V(1) / (V(1) + Exp(-x)); }   // as before
//
// They agree with the exact result to a few units in the last place of its absolute value.
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_OPS_LAUNCH_COMPLEX_FUNCTIONS_H_
#define WARPBEAM_OPS_LAUNCH_COMPLEX_FUNCTIONS_H_

#include "ops/launch/complex_number.h"

namespace warpbeam::WB_PASS {

namespace internal {

// Above this exponentials are near the largest number.
template <class R>
inline constexpr R kLargeExponent = sizeof(R) == 4 ? R(80) : R(700);

// scale e^x, which may be a number where e^x is too large. Zero stays, even of infinity.
template <class R>
WB_HD R ScaledExp(R scale, R x) {
  if (scale == R(0)) return scale;
  if (x <= kLargeExponent<R>) return scale * Exp(x);
  const R half = Exp(x * R(0.5));
  return scale * half * half;
}
template <class R>
WB_HD R ScaledCosh(R scale, R x) {
  const R size = Abs(x);
  if (size <= kLargeExponent<R>) return scale * Cosh(size);
  return ScaledExp(scale * R(0.5), size);
}
template <class R>
WB_HD R ScaledSinh(R scale, R x) {
  const R size = Abs(x);
  if (size <= kLargeExponent<R>) return scale * Sinh(x);
  return ScaledExp(scale * CopySign(R(0.5), x), size);
}

}  // namespace internal

template <class R>
WB_HD ComplexNumber<R> Exp(ComplexNumber<R> z) {
  return ComplexNumber<R>(internal::ScaledExp(Cos(z.imag()), z.real()),
                          internal::ScaledExp(Sin(z.imag()), z.real()));
}
template <class R>
WB_HD ComplexNumber<R> Sin(ComplexNumber<R> z) {
  return ComplexNumber<R>(internal::ScaledCosh(Sin(z.real()), z.imag()),
                          internal::ScaledSinh(Cos(z.real()), z.imag()));
}
template <class R>
WB_HD ComplexNumber<R> Cos(ComplexNumber<R> z) {
  return ComplexNumber<R>(internal::ScaledCosh(Cos(z.real()), z.imag()),
                          internal::ScaledSinh(-Sin(z.real()), z.imag()));
}
template <class R>
WB_HD ComplexNumber<R> Sinh(ComplexNumber<R> z) {
  return ComplexNumber<R>(internal::ScaledSinh(Cos(z.imag()), z.real()),
                          internal::ScaledCosh(Sin(z.imag()), z.real()));
}
template <class R>
WB_HD ComplexNumber<R> Cosh(ComplexNumber<R> z) {
  return ComplexNumber<R>(internal::ScaledCosh(Cos(z.imag()), z.real()),
                          internal::ScaledSinh(Sin(z.imag()), z.real()));
}
// By the tangent of the real part and the hyperbolic sine of the imaginary one (W. Kahan, "Branch
// cuts for complex elementary functions", 1987): nothing cancels out near the poles.
template <class R>
WB_HD ComplexNumber<R> Tan(ComplexNumber<R> z) {
  const R x = z.real(), y = z.imag();
  // From here on the imaginary part rounds to 1.
  if (Abs(y) > (sizeof(R) == 4 ? R(11) : R(22))) {
    const R decay = Exp(-Abs(y));
    return ComplexNumber<R>(R(4) * Sin(x) * Cos(x) * decay * decay, CopySign(R(1), y));
  }
  const R tangent = Tan(x), slope = R(1) + tangent * tangent, sine = Sinh(y);
  const R size = R(1) + slope * sine * sine;
  return ComplexNumber<R>(tangent / size, slope * Sqrt(R(1) + sine * sine) * sine / size);
}

// Of numbers near the unit circle by their distance from it.
template <class R>
WB_HD ComplexNumber<R> Log(ComplexNumber<R> z) {
  const R x = Abs(z.real()), y = Abs(z.imag()), angle = Atan2(z.imag(), z.real());
  const R size = Hypot(x, y);
  if (!(size > R(0.5) && size < R(2))) return ComplexNumber<R>(Log(size), angle);
  const R most = Max(x, y), least = Min(x, y);
  return ComplexNumber<R>(R(0.5) * Log1p((most - R(1)) * (most + R(1)) + least * least), angle);
}
template <class R>
WB_HD ComplexNumber<R> Log1p(ComplexNumber<R> z) {
  const R x = z.real(), y = z.imag();
  if (Abs(x) + Abs(y) > R(0.5)) return Log(ComplexNumber<R>(R(1) + x, y));
  return ComplexNumber<R>(R(0.5) * Log1p(x * (x + R(2)) + y * y), Atan2(y, R(1) + x));
}
template <class R>
WB_HD ComplexNumber<R> Sqrt(ComplexNumber<R> z) {
  const R x = z.real(), y = z.imag(), size = Hypot(x, y);
  if (size == R(0)) return ComplexNumber<R>(R(0), y);
  const R root = Sqrt(R(0.5) * size + R(0.5) * Abs(x)), other = R(0.5) * y / root;
  if (x >= R(0)) return ComplexNumber<R>(root, other);
  return ComplexNumber<R>(Abs(other), CopySign(root, y));
}

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_COMPLEX_FUNCTIONS_H_
