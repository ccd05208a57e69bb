// Dawsn, Expint, FresnelCos, FresnelSin, Spence: integrals that have no closed form, of single
// numbers. float is computed in double.
//
// The methods: Taylor series near zero, for Dawson's integral Rybicki's sum over a grid of
// Gaussians, for the Fresnel integrals the continued fraction of the complex error function, for
// the dilogarithm the series in Bernoulli numbers after its reflection and inversion formulas.

#include <cmath>
#include <limits>

#include "ops/launch/complex_number.h"
#include "ops/launch/elementwise_table.h"

namespace warpbeam::WB_PASS {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// exp(-x²) times the integral of exp(t²) from 0 to x.
WB_HD double Dawson(double x) {
  const double size = std::abs(x);
  if (size != size) return x;
  if (size < 0.5) {
    double term = x, sum = x;
    for (int k = 1; std::abs(term) > kEpsilon / 8 * std::abs(sum); ++k) {
      term *= -2 * x * x / (2 * k + 1);
      sum += term;
    }
    return sum;
  }
  if (size > 12) {
    double term = 0.5 / x, sum = term;
    for (int k = 1; std::abs(term) > kEpsilon / 8 * std::abs(sum); ++k) {
      term *= (2 * k - 1) / x / (2 * x);
      sum += term;
    }
    return sum;
  }
  // The error is exp(-(π / 2h)²), far below a double's precision; so are the terms left out.
  constexpr double kStep = 0.2;
  constexpr int kTerms = 31;
  const int middle = 2 * static_cast<int>(std::lround(size / (2 * kStep)));
  double sum = 0;
  for (int n = -kTerms; n <= kTerms; n += 2) {
    const double distance = size - (middle + n) * kStep;
    sum += std::exp(-distance * distance) / (middle + n);
  }
  return std::copysign(sum / std::sqrt(kPi), x);
}

// The principal value of the integral of exp(t) / t from minus infinity to x, for x > 0.
WB_HD double ExponentialIntegral(double x) {
  if (!(x >= 0) || x > std::numeric_limits<double>::max()) return kNaN;
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x < 40) {
    double power = 1, sum = 0;
    for (int k = 1; k < 300; ++k) {
      power *= x / k;
      sum += power / k;
      if (power < kEpsilon / 8 * sum) break;
    }
    return 0.57721566490153286061 + std::log(x) + sum;
  }
  double term = 1, sum = 1;
  for (int k = 1; k < x && term > kEpsilon / 8; ++k) {
    term *= k / x;
    sum += term;
  }
  // In two steps: exp(x) overflows a little earlier than the result.
  return std::exp(x / 2) * (std::exp(x / 2) / x * sum);
}

// The integrals of cos(πt²/2) and of sin(πt²/2) from 0 to x.
struct Fresnel {
  double c, s;
};

WB_HD Fresnel FresnelSeries(double x) {
  const double angle = kPi / 2 * x * x;
  Fresnel sum{0, 0};
  double term = x;  // x times angle^k / k!
  for (int k = 0; k < 60; ++k) {
    const double part = (k & 2 ? -term : term) / (2 * k + 1);
    (k & 1 ? sum.s : sum.c) += part;
    if (std::abs(term) < kEpsilon / 8 * std::abs(x)) break;
    term *= angle / (k + 1);
  }
  return sum;
}

// For x >= 1.5, by Lentz's method.
WB_HD Fresnel FresnelFraction(double x) {
  using Z = ComplexNumber<double>;
  Z b(1, -kPi * x * x), value = Z(1) / b, d = value, c(std::numeric_limits<double>::max(), 0);
  for (int k = 1; k < 400; ++k) {
    const double a = -(2.0 * k - 1) * (2.0 * k);
    b = b + Z(4);
    d = Z(1) / (d * a + b);
    c = b + Z(a) / c;
    const Z factor = c * d;
    value = value * factor;
    if (std::abs(factor.real() - 1) + std::abs(factor.imag()) < kEpsilon) break;
  }
  value = value * Z(x, -x);
  // x² modulo 4, with the bits that the product loses: the angle counts modulo 2π.
  const double square = x * x, lost = std::fma(x, x, -square);
  const double angle = kPi / 2 * (std::fmod(square, 4) + lost);
  const Z result = Z(0.5, 0.5) * (Z(1) - Z(std::cos(angle), std::sin(angle)) * value);
  return {result.real(), result.imag()};
}

WB_HD Fresnel FresnelIntegrals(double x) {
  const double size = std::abs(x);
  if (size != size) return {x, x};
  // From here on the integrals' waves are below a double's precision.
  if (size > 1e15) return {std::copysign(0.5, x), std::copysign(0.5, x)};
  const Fresnel value = size < 1.5 ? FresnelSeries(size) : FresnelFraction(size);
  return {std::copysign(value.c, x), std::copysign(value.s, x)};
}

// For 0.5 <= x <= 2: with u = -log x, u - u²/4 and the odd powers B(2k) u^(2k+1) / (2k+1)!.
WB_HD double SpenceSeries(double x) {
  static constexpr double kCoefficients[] = {1.0 / 36,
                                             -1.0 / 3600,
                                             1.0 / 211680,
                                             -1.0 / 10886400,
                                             1.0 / 526901760,
                                             -691.0 / 16999766784000.0,
                                             1.0 / 1120863744000.0,
                                             -3617.0 / 181400588328960000.0,
                                             43867.0 / 97072790126247936000.0};
  const double u = -std::log(x), square = u * u;
  double power = u * square, sum = u - square / 4;
  for (const double coefficient : kCoefficients) {
    sum += coefficient * power;
    power *= square;
  }
  return sum;
}

// The dilogarithm of 1 - x: the integral of log(t) / (1 - t) from 1 to x; for 0 < x <= 2.
WB_HD double DilogarithmBelow2(double x) {
  if (x >= 0.5) return SpenceSeries(x);
  return kPi * kPi / 6 - std::log(x) * std::log1p(-x) - SpenceSeries(1 - x);
}
WB_HD double Dilogarithm(double x) {
  if (!(x >= 0) || x > std::numeric_limits<double>::max()) return kNaN;
  if (x == 0) return kPi * kPi / 6;
  if (x <= 2) return DilogarithmBelow2(x);
  const double log = std::log(x);
  return -0.5 * log * log - DilogarithmBelow2(1 / x);
}

}  // namespace

#define WB_INTEGRAL(Name, cost, expression)   \
  struct Name {                               \
    static constexpr int kPicoseconds = cost; \
    template <class V>                        \
    WB_HD V operator()(V x) const {           \
      return static_cast<V>(expression);      \
    }                                         \
  }
WB_INTEGRAL(DawsnFn, 200000, Dawson(x));
WB_INTEGRAL(ExpintFn, 60000, ExponentialIntegral(x));
WB_INTEGRAL(FresnelCosFn, 200000, FresnelIntegrals(x).c);
WB_INTEGRAL(FresnelSinFn, 200000, FresnelIntegrals(x).s);
WB_INTEGRAL(SpenceFn, 40000, Dilogarithm(x));

using Singles = TypeList<float, double>;

#define WB_INTEGRAL_OP(op, Fn) \
  WB_UNARY_OP(op, Fn, "{bfloat16, half, float, double}", Singles, Singles)
WB_INTEGRAL_OP("Dawsn", DawsnFn);
WB_INTEGRAL_OP("Expint", ExpintFn);
WB_INTEGRAL_OP("FresnelCos", FresnelCosFn);
WB_INTEGRAL_OP("FresnelSin", FresnelSinFn);
WB_INTEGRAL_OP("Spence", SpenceFn);

#if WB_HOST_PASS

namespace {

Status Times(GradContext& c, OutputRef slope) {
  c.set_dx(0, c.Mul(c.dy(0), slope));
  return OkStatus();
}
Status DawsnGradient(GradContext& c) {
  const OutputRef x = c.x(0), product = c.Mul(c.Mul(c.ScalarLike(x, 2), x), c.y(0));
  return Times(c, c.Sub(c.ScalarLike(x, 1), product));
}
Status ExpintGradient(GradContext& c) {
  c.set_dx(0, c.Div(c.Mul(c.dy(0), c.Emit("Exp", {c.x(0)})), c.x(0)));
  return OkStatus();
}
Status FresnelGradient(GradContext& c, const char* wave) {
  const OutputRef x = c.x(0), half_pi = c.ScalarLike(x, kPi / 2);
  return Times(c, c.Emit(wave, {c.Mul(half_pi, c.Emit("Square", {x}))}));
}
Status FresnelCosGradient(GradContext& c) { return FresnelGradient(c, "Cos"); }
Status FresnelSinGradient(GradContext& c) { return FresnelGradient(c, "Sin"); }
// At 1 the quotient is 0 by 0.
Status SpenceGradient(GradContext& c) {
  const OutputRef x = c.x(0), one = c.ScalarLike(x, 1);
  const OutputRef slope = c.Div(c.Emit("Log", {x}), c.Sub(one, x));
  const OutputRef is_one = c.Emit("Equal", {x, one});
  return Times(c, c.Emit("SelectV2", {is_one, c.ScalarLike(x, -1), slope}));
}

}  // namespace

WB_GRADIENT("Dawsn", DawsnGradient);
WB_GRADIENT("Expint", ExpintGradient);
WB_GRADIENT("FresnelCos", FresnelCosGradient);
WB_GRADIENT("FresnelSin", FresnelSinGradient);
WB_GRADIENT("Spence", SpenceGradient);

#endif  // WB_HOST_PASS

}  // namespace warpbeam::WB_PASS
