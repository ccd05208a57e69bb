// Erf and Erfc of vectors: W. J. Cody's rational approximations ("Rational Chebyshev approximations
// for the error function", 1969), good to the last places of double and float alike, and for Erf of
// float a single one that was fitted to its range.
//
//   Vec<float> y = Erf(x);      // scalars: ops/launch/math.h
//
// Thread safety: pure functions. NaN stays NaN.
#ifndef WARPBEAM_OPS_LAUNCH_ERROR_FUNCTION_H_
#define WARPBEAM_OPS_LAUNCH_ERROR_FUNCTION_H_

#include "ops/launch/math.h"

#if WB_HOST_PASS

namespace warpbeam::host_pass {

namespace approximation {

// erf(x) for |x| <= 0.46875.
template <class V>
V ErfSmall(V x) {
  static constexpr double kP[] = {1.85777706184603153e-1, 3.16112374387056560e0,
                                  1.13864154151050156e2, 3.77485237685302021e2,
                                  3.20937758913846947e3};
  static constexpr double kQ[] = {1, 2.36012909523441209e1, 2.44024637934444173e2,
                                  1.28261652607737228e3, 2.84423683343917062e3};
  const V z = x * x;
  return x * Polynomial(z, kP) / Polynomial(z, kQ);
}

// erfc(y) exp(y^2) for y > 0.46875.
template <class V>
V ScaledErfc(V y) {
  static constexpr double kC[] = {
      2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0,
      6.61191906371416295e1,  2.98635138197400131e2,  8.81952221241769090e2,
      1.71204761263407058e3,  2.05107837782607147e3,  1.23033935479799725e3};
  static constexpr double kD[] = {1,
                                  1.57449261107098347e1,
                                  1.17693950891312499e2,
                                  5.37181101862009858e2,
                                  1.62138957456669019e3,
                                  3.29079923573345963e3,
                                  4.36261909014324716e3,
                                  3.43936767414372164e3,
                                  1.23033935480374942e3};
  static constexpr double kP[] = {1.63153871373020978e-2, 3.05326634961232344e-1,
                                  3.60344899949804439e-1, 1.25781726111229246e-1,
                                  1.60837851487422766e-2, 6.58749161529837803e-4};
  static constexpr double kQ[] = {1,
                                  2.56852019228982242e0,
                                  1.87295284992346725e0,
                                  5.27905102951428412e-1,
                                  6.05183413124413191e-2,
                                  2.33520497626869185e-3};
  const V middle = Polynomial(Min(y, V(4)), kC) / Polynomial(Min(y, V(4)), kD);
  const V z = V(1) / (y * y);
  const V tail = (V(0.56418958354775628695) - z * Polynomial(z, kP) / Polynomial(z, kQ)) / y;
  return Where(y <= V(4), middle, tail);
}

// exp(-y^2) without losing the low places of y^2.
template <class V>
V ExpMinusSquare(V y) {
  const V high = Trunc(y * V(16)) * V(1.0 / 16);
  return Exp(-high * high) * Exp((high - y) * (high + y));
}

}  // namespace approximation

template <class T>
Vec<T> Erfc(Vec<T> x) {
  using V = Vec<T>;
  const V y = Min(Abs(x), V(28));  // Min gives the second where the first is NaN
  const V far = approximation::ExpMinusSquare(y) * approximation::ScaledErfc(Max(y, V(0.46875)));
  const V result =
      Where(y <= V(0.46875), V(1) - approximation::ErfSmall(Where(y <= V(0.46875), x, V(0))),
            Where(x < V(0), V(2) - far, far));
  return Where(x == x, result, x);
}

inline Vec<double> Erf(Vec<double> x) {
  using V = Vec<double>;
  const V y = Min(Abs(x), V(28));
  const V far =
      V(1) - approximation::ExpMinusSquare(y) * approximation::ScaledErfc(Max(y, V(0.46875)));
  const V result = Where(y <= V(0.46875), approximation::ErfSmall(Where(y <= V(0.46875), x, V(0))),
                         CopySign(far, x));
  return Where(x == x, result, x);
}
inline Vec<float> Erf(Vec<float> x) {
  static constexpr double kP[] = {0x1.2286eep-19, 0x1.3db43cp-12, 0x1.087ce4p-8,
                                  0x1.cd58bep-5,  0x1.a131dap-3,  0x1.3419p+0};
  static constexpr double kQ[] = {0x1.52866ep-15, 0x1.45a402p-10, 0x1.063e0ap-6,
                                  0x1.f377b2p-4,  0x1.127632p-1,  0x1.110b6p+0};
  return approximation::OddRational(x, 3.95f, kP, kQ);
}

}  // namespace warpbeam::host_pass

#endif  // WB_HOST_PASS

#endif  // WARPBEAM_OPS_LAUNCH_ERROR_FUNCTION_H_
