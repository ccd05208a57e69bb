// Mathematical functions for functors: of scalars in both passes, of Vec<T> on the host.
//
// Functors call these by their plain names, never std::, whose transcendental functions g++ does
// not vectorise. Vector versions are Highway's, completed for arguments outside their range, for
// infinities and NaN, and minimax approximations where programs spend their time; they agree with
// the exact result to 5 units in the last place. Results do not depend on an element's place in its
// tensor, since tails run through the vector code too.
//
//   template <class V> WB_HD V Logistic(V x) { return V(1) / (V(1) + Exp(-x)); }
//
// Thread safety: pure functions.
#ifndef WARPBEAM_OPS_LAUNCH_MATH_H_
#define WARPBEAM_OPS_LAUNCH_MATH_H_

#include <cmath>
#include <complex>
#include <limits>

#include "ops/launch/pass.h"
#include "ops/launch/type_list.h"
#include "ops/launch/vec.h"
#if WB_HOST_PASS
#include "hwy/contrib/math/math-inl.h"
#endif

namespace warpbeam::WB_PASS {

// Chooses by element: of scalars, and in vec.h of vectors.
template <class T>
WB_HD T Where(bool c, T a, T b) {
  return c ? a : b;
}

// Scalars. Overload resolution on float and double picks the right precision in both passes.
#define WB_SCALAR_FUNCTION(Name, fn)                      \
  WB_HD inline float Name(float x) { return ::fn##f(x); } \
  WB_HD inline double Name(double x) { return ::fn(x); }
WB_SCALAR_FUNCTION(Exp, exp)
WB_SCALAR_FUNCTION(Expm1, expm1)
WB_SCALAR_FUNCTION(Log, log)
WB_SCALAR_FUNCTION(Log1p, log1p)
WB_SCALAR_FUNCTION(Sqrt, sqrt)
WB_SCALAR_FUNCTION(Sin, sin)
WB_SCALAR_FUNCTION(Cos, cos)
WB_SCALAR_FUNCTION(Tan, tan)
WB_SCALAR_FUNCTION(Asin, asin)
WB_SCALAR_FUNCTION(Acos, acos)
WB_SCALAR_FUNCTION(Atan, atan)
WB_SCALAR_FUNCTION(Sinh, sinh)
WB_SCALAR_FUNCTION(Cosh, cosh)
WB_SCALAR_FUNCTION(Tanh, tanh)
WB_SCALAR_FUNCTION(Asinh, asinh)
WB_SCALAR_FUNCTION(Acosh, acosh)
WB_SCALAR_FUNCTION(Atanh, atanh)
WB_SCALAR_FUNCTION(Floor, floor)
WB_SCALAR_FUNCTION(Ceil, ceil)
WB_SCALAR_FUNCTION(Trunc, trunc)
WB_SCALAR_FUNCTION(RoundToEven, rint)
WB_SCALAR_FUNCTION(Erf, erf)
WB_SCALAR_FUNCTION(Erfc, erfc)
#undef WB_SCALAR_FUNCTION
WB_HD inline float Pow(float x, float y) { return ::powf(x, y); }
WB_HD inline double Pow(double x, double y) { return ::pow(x, y); }
WB_HD inline float Atan2(float x, float y) { return ::atan2f(x, y); }
WB_HD inline double Atan2(double x, double y) { return ::atan2(x, y); }
WB_HD inline float Fmod(float x, float y) { return ::fmodf(x, y); }
WB_HD inline double Fmod(double x, double y) { return ::fmod(x, y); }
WB_HD inline float Abs(float x) { return ::fabsf(x); }
WB_HD inline double Abs(double x) { return ::fabs(x); }
// Wraps for the most negative integer, as the hardware does.
template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
WB_HD T Abs(T x) {
  return x < 0 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x)) : x;
}
WB_HD inline float CopySign(float magnitude, float sign) { return ::copysignf(magnitude, sign); }
WB_HD inline double CopySign(double magnitude, double sign) { return ::copysign(magnitude, sign); }
// Integer arithmetic wraps around, as the hardware does; on other types these are the operators.
template <class T>
using WrapType = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;
template <class V>
WB_HD V Plus(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<V>(static_cast<WrapType<V>>(a) + static_cast<WrapType<V>>(b));
  } else {
    return a + b;
  }
}
template <class V>
WB_HD V Minus(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<V>(static_cast<WrapType<V>>(a) - static_cast<WrapType<V>>(b));
  } else {
    return a - b;
  }
}
template <class V>
WB_HD V Times(V a, V b) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<V>(static_cast<WrapType<V>>(a) * static_cast<WrapType<V>>(b));
  } else {
    return a * b;
  }
}
template <class V>
WB_HD V Negate(V a) {
  if constexpr (std::is_integral_v<V>) {
    return Minus(V(0), a);
  } else {
    return -a;
  }
}
// The complex conjugate; real numbers are their own.
template <class V>
WB_HD V Conj(V x) {
  if constexpr (kIsComplex<V>) {
    return V(x.real(), -x.imag());
  } else {
    return x;
  }
}
// The larger and the smaller; the second where either is NaN.
template <class T>
WB_HD T Max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
WB_HD T Min(T a, T b) {
  return a < b ? a : b;
}

#if WB_HOST_PASS

#define WB_COMPLEX_FUNCTION(Name, fn)              \
  template <class T>                               \
  std::complex<T> Name(const std::complex<T>& x) { \
    return std::fn(x);                             \
  }
WB_COMPLEX_FUNCTION(Exp, exp)
WB_COMPLEX_FUNCTION(Log, log)
WB_COMPLEX_FUNCTION(Sqrt, sqrt)
WB_COMPLEX_FUNCTION(Sin, sin)
WB_COMPLEX_FUNCTION(Cos, cos)
WB_COMPLEX_FUNCTION(Tan, tan)
WB_COMPLEX_FUNCTION(Asin, asin)
WB_COMPLEX_FUNCTION(Acos, acos)
WB_COMPLEX_FUNCTION(Atan, atan)
WB_COMPLEX_FUNCTION(Sinh, sinh)
WB_COMPLEX_FUNCTION(Cosh, cosh)
WB_COMPLEX_FUNCTION(Tanh, tanh)
WB_COMPLEX_FUNCTION(Asinh, asinh)
WB_COMPLEX_FUNCTION(Acosh, acosh)
WB_COMPLEX_FUNCTION(Atanh, atanh)
#undef WB_COMPLEX_FUNCTION
template <class T>
std::complex<T> Expm1(const std::complex<T>& x) {
  // exp(x) - 1 by parts keeps the small results small.
  const T e = std::expm1(x.real()), s = std::sin(x.imag() / 2);
  return {e * std::cos(x.imag()) - 2 * s * s, (e + 1) * std::sin(x.imag())};
}
template <class T>
std::complex<T> Log1p(const std::complex<T>& x) {
  const T re = x.real(), im = x.imag();
  if (std::abs(re) + std::abs(im) > T(0.5)) return std::log(T(1) + x);
  return {T(0.5) * std::log1p(re * (re + 2) + im * im), std::atan2(im, 1 + re)};
}
template <class T>
std::complex<T> Pow(const std::complex<T>& x, const std::complex<T>& y) {
  if (y == T(0)) return T(1);
  if (x == T(0)) return T(0);
  return std::pow(x, y);
}

template <class T>
Vec<T> Infinity() {
  return Vec<T>(std::numeric_limits<T>::infinity());
}
template <class T>
Vec<T> NaN() {
  return Vec<T>(std::numeric_limits<T>::quiet_NaN());
}

template <class T>
Vec<T> Abs(Vec<T> x) {
  return Vec<T>(hn::Abs(x.v));
}
template <class T>
Vec<T> Sqrt(Vec<T> x) {
  return Vec<T>(hn::Sqrt(x.v));
}
template <class T>
Vec<T> Max(Vec<T> a, Vec<T> b) {
  return Vec<T>(hn::Max(a.v, b.v));
}
template <class T>
Vec<T> Min(Vec<T> a, Vec<T> b) {
  return Vec<T>(hn::Min(a.v, b.v));
}
template <class T>
Vec<T> Floor(Vec<T> x) {
  return Vec<T>(hn::Floor(x.v));
}
template <class T>
Vec<T> Ceil(Vec<T> x) {
  return Vec<T>(hn::Ceil(x.v));
}
template <class T>
Vec<T> Trunc(Vec<T> x) {
  return Vec<T>(hn::Trunc(x.v));
}
template <class T>
Vec<T> RoundToEven(Vec<T> x) {
  return Vec<T>(hn::Round(x.v));
}
template <class T>
Vec<T> CopySign(Vec<T> magnitude, Vec<T> sign) {
  return Vec<T>(hn::CopySign(magnitude.v, sign.v));
}

// c[0] x^(n-1) + … + c[n-1].
template <class V, int N>
V Polynomial(V x, const double (&c)[N]) {
  V sum(c[0]);
  for (int i = 1; i < N; ++i) sum = MulAdd(sum, x, V(c[i]));
  return sum;
}

namespace approximation {

template <class T>
Vec<T> ExpOfAny(Vec<T> x) {
  // Above this the result is infinite; x + inf gives that, and NaN for NaN.
  const Vec<T> limit(sizeof(T) == 4 ? 88.7228394 : 709.782712893384);
  const Vec<T> y(hn::Exp(typename Vec<T>::Tag(), x.v));
  return Where(x <= limit, y, x + Infinity<T>());
}

// x P(x^2) / Q(x^2) with x no farther from 0 than `end`, where the function rounds to 1.
template <int P, int Q>
Vec<float> OddRational(Vec<float> x, float end, const double (&p)[P], const double (&q)[Q]) {
  using V = Vec<float>;
  const V inside = Max(V(-end), Min(V(end), x));  // NaN stays: they give the second
  const V square = inside * inside;
  const V y = inside * Polynomial(square, p) / Polynomial(square, q);
  return Max(V(-1), Min(V(1), y));
}

}  // namespace approximation

inline Vec<double> Exp(Vec<double> x) { return approximation::ExpOfAny(x); }
// 2^n e^r with n the nearest integer to x / ln 2: e^r by a minimax polynomial (3e-9), 2^n by adding
// to the exponent, which holds where neither result nor 2^n leaves the normal numbers.
inline Vec<float> Exp(Vec<float> x) {
  using V = Vec<float>;
  static constexpr double kExp[] = {
      0x1.6a23cep-10, 0x1.123a2p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2, 1, 1};
  const V::Tag d;
  const hn::RebindToSigned<V::Tag> d32;
  const auto n = hn::NearestInt((x * V(1.44269504088896341)).v);
  const V negative_n = -V(hn::ConvertTo(d, n));
  // ln 2 in two parts, of which the first has so few digits that its product with n is exact.
  const V r = MulAdd(negative_n, V(0x1.7f7d1cp-20), MulAdd(negative_n, V(0x1.62e4p-1), x));
  const auto mantissa = hn::BitCast(d32, Polynomial(r, kExp).v);
  const V y(hn::BitCast(d, hn::Add(mantissa, hn::ShiftLeft<23>(n))));
  const Mask<float> inside = Abs(x) <= V(87);
  if (HWY_LIKELY(All(inside))) return y;
  return Where(inside, y, approximation::ExpOfAny(x));
}
template <class T>
Vec<T> Expm1(Vec<T> x) {
  const Vec<T> limit(sizeof(T) == 4 ? 88.7228394 : 709.782712893384);
  const Vec<T> y(hn::Expm1(typename Vec<T>::Tag(), x.v));
  return Where(x <= limit, Where(x == Vec<T>(0), x, y), x + Infinity<T>());
}
template <class T>
Vec<T> Log(Vec<T> x) {
  const Vec<T> y(hn::Log(typename Vec<T>::Tag(), x.v));
  const Mask<T> inside = (x > Vec<T>(0)) & (x < Infinity<T>());
  if (HWY_LIKELY(All(inside))) return y;
  const Vec<T> outside = Where(x == Vec<T>(0), -Infinity<T>(), Where(x < Vec<T>(0), NaN<T>(), x));
  return Where(inside, y, outside);
}
template <class T>
Vec<T> Log1p(Vec<T> x) {
  const Vec<T> y(hn::Log1p(typename Vec<T>::Tag(), x.v));
  const Mask<T> inside = (x > Vec<T>(-1)) & (x < Infinity<T>());
  if (HWY_LIKELY(All(inside))) return y;
  const Vec<T> outside = Where(x == Vec<T>(-1), -Infinity<T>(), Where(x < Vec<T>(-1), NaN<T>(), x));
  return Where(inside, y, outside);
}
inline Vec<double> Tanh(Vec<double> x) { return Vec<double>(hn::Tanh(Vec<double>::Tag(), x.v)); }
inline Vec<float> Tanh(Vec<float> x) {
  static constexpr double kP[] = {0x1.9ae3f2p-26, 0x1.351c0cp-15, 0x1.9920f6p-8, 0x1.e921b8p-3,
                                  0x1.c8d8fep+0};
  static constexpr double kQ[] = {0x1.75885cp-20, 0x1.33cce2p-11, 0x1.7a7320p-5, 0x1.aad910p-1,
                                  0x1.c8d8fep+0};
  return approximation::OddRational(x, 9.01f, kP, kQ);
}

// Highway's range reduction is exact enough up to here; larger angles go to the C library.
template <class T>
Mask<T> IsSmallAngle(Vec<T> x) {
  return Abs(x) <= Vec<T>(39000);
}
template <class T>
Vec<T> Sin(Vec<T> x) {
  const Vec<T> y = Where(x == Vec<T>(0), x, Vec<T>(hn::Sin(typename Vec<T>::Tag(), x.v)));
  const Mask<T> small = IsSmallAngle(x);
  if (HWY_LIKELY(All(small))) return y;
  return Where(small, y, MapLanes(x, [](T l) { return Sin(l); }));
}
template <class T>
Vec<T> Cos(Vec<T> x) {
  const Vec<T> y(hn::Cos(typename Vec<T>::Tag(), x.v));
  const Mask<T> small = IsSmallAngle(x);
  if (HWY_LIKELY(All(small))) return y;
  return Where(small, y, MapLanes(x, [](T l) { return Cos(l); }));
}
template <class T>
Vec<T> Tan(Vec<T> x) {
  return Sin(x) / Cos(x);
}
template <class T>
Vec<T> Asin(Vec<T> x) {
  return Vec<T>(hn::Asin(typename Vec<T>::Tag(), x.v));
}
template <class T>
Vec<T> Acos(Vec<T> x) {
  return Vec<T>(hn::Acos(typename Vec<T>::Tag(), x.v));
}
template <class T>
Vec<T> Atan(Vec<T> x) {
  return Vec<T>(hn::Atan(typename Vec<T>::Tag(), x.v));
}
template <class T>
Vec<T> Sinh(Vec<T> x) {
  const Vec<T> y(hn::Sinh(typename Vec<T>::Tag(), x.v));
  const Mask<T> small = Abs(x) <= Vec<T>(sizeof(T) == 4 ? 80 : 700);
  if (HWY_LIKELY(All(small))) return y;
  const Vec<T> half = Exp(Abs(x) * Vec<T>(0.5));  // squared, it overflows no earlier than sinh
  return Where(small, y, CopySign(half * Vec<T>(0.5) * half, x));
}
template <class T>
Vec<T> Cosh(Vec<T> x) {
  const Vec<T> half = Exp(Abs(x) * Vec<T>(0.5));
  return half * Vec<T>(0.5) * half + Vec<T>(0.5) / half / half;
}
template <class T>
Vec<T> Asinh(Vec<T> x) {
  const Vec<T> y(hn::Asinh(typename Vec<T>::Tag(), x.v));
  return Where(Abs(x) < Infinity<T>(), y, x);
}
template <class T>
Vec<T> Acosh(Vec<T> x) {
  const Vec<T> y(hn::Acosh(typename Vec<T>::Tag(), x.v));
  return Where(x < Infinity<T>(), Where(x < Vec<T>(1), NaN<T>(), y), x);
}
template <class T>
Vec<T> Atanh(Vec<T> x) {
  const Vec<T> y(hn::Atanh(typename Vec<T>::Tag(), x.v));
  const Vec<T> edge = Where(Abs(x) == Vec<T>(1), CopySign(Infinity<T>(), x), NaN<T>());
  return Where(Abs(x) < Vec<T>(1), y, edge);
}
template <class T>
Vec<T> Fmod(Vec<T> x, Vec<T> y) {
  return MapLanes(x, y, [](T a, T b) { return Fmod(a, b); });
}
template <class T>
Vec<T> Atan2(Vec<T> x, Vec<T> y) {
  return MapLanes(x, y, [](T a, T b) { return Atan2(a, b); });
}
// exp(y log x) in double is exact enough for float; other cases are the C library's.
inline Vec<double> Pow(Vec<double> x, Vec<double> y) {
  return MapLanes(x, y, [](double a, double b) { return Pow(a, b); });
}
inline Vec<float> Pow(Vec<float> x, Vec<float> y) {
  const Vec<double>::Tag d;
  const hn::Half<Vec<float>::Tag> half;
  const auto part = [&](hn::Vec<decltype(half)> a, hn::Vec<decltype(half)> b) {
    const auto log = Log(Vec<double>(hn::PromoteTo(d, a)));
    return hn::DemoteTo(half, Exp(log * Vec<double>(hn::PromoteTo(d, b))).v);
  };
  const Vec<float> power(hn::Combine(Vec<float>::Tag(),
                                     part(hn::UpperHalf(half, x.v), hn::UpperHalf(half, y.v)),
                                     part(hn::LowerHalf(half, x.v), hn::LowerHalf(half, y.v))));
  const Mask<float> plain =
      (x > Vec<float>(0)) & (x < Infinity<float>()) & (Abs(y) < Vec<float>(1e30));
  if (HWY_LIKELY(All(plain))) return power;
  return Where(plain, power, MapLanes(x, y, [](float a, float b) { return Pow(a, b); }));
}

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LAUNCH_MATH_H_
