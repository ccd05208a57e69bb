#include "ops/launch/complex_functions.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace warpbeam::host_pass {
namespace {

template <class R>
std::complex<R> Standard(ComplexNumber<R> z) {
  return {z.real(), z.imag()};
}

// By the standard library in a wider type, rounded.
template <class R>
void ExpectNear(ComplexNumber<R> got, std::complex<long double> wide, R ulps, const char* what,
                std::complex<R> at) {
  const std::complex<R> expected(static_cast<R>(wide.real()), static_cast<R>(wide.imag()));
  const R size = std::hypot(expected.real(), expected.imag());
  if (!std::isfinite(size)) {
    EXPECT_EQ(got.real(), expected.real()) << what << at;
    EXPECT_EQ(got.imag(), expected.imag()) << what << at;
    return;
  }
  EXPECT_LE(std::abs(Standard(got) - expected), ulps * std::numeric_limits<R>::epsilon() * size)
      << what << at << " gives " << Standard(got) << " for " << expected;
}

template <class R>
std::vector<std::complex<R>> Places() {
  const R parts[] = {0, 0.001, 0.25, 0.999, 1, 1.5707963, 3, 12, 25, 60};
  std::vector<std::complex<R>> places;
  for (const R x : parts) {
    for (const R y : parts) {
      places.insert(places.end(), {{x, y}, {-x, y}, {x, -y}, {-x, -y}});
    }
  }
  return places;
}

template <class R>
void ExpectStandardFunctions() {
  using Wide = std::complex<long double>;
  for (const std::complex<R> at : Places<R>()) {
    const ComplexNumber<R> z(at.real(), at.imag());
    const Wide wide(at.real(), at.imag());
    ExpectNear<R>(Exp(z), std::exp(wide), 4, "exp", at);
    ExpectNear<R>(Sin(z), std::sin(wide), 4, "sin", at);
    ExpectNear<R>(Cos(z), std::cos(wide), 4, "cos", at);
    ExpectNear<R>(Tan(z), std::tan(wide), 8, "tan", at);
    ExpectNear<R>(Sinh(z), std::sinh(wide), 4, "sinh", at);
    ExpectNear<R>(Cosh(z), std::cosh(wide), 4, "cosh", at);
    ExpectNear<R>(Sqrt(z), std::sqrt(wide), 4, "sqrt", at);
    if (at == std::complex<R>()) continue;
    ExpectNear<R>(Log(z), std::log(wide), 4, "log", at);
    if (at == std::complex<R>(-1)) continue;
    // Rounding x + 1 costs what the logarithm near 1 makes much of.
    if (std::abs(wide + 1.0L) > 1.5L)
      ExpectNear<R>(Log1p(z), std::log(wide + 1.0L), 4, "log1p", at);
  }
}

TEST(ComplexFunctions, AreThoseOfTheStandardLibrary) {
  ExpectStandardFunctions<float>();
  ExpectStandardFunctions<double>();
}

TEST(ComplexFunctions, LargeAndSmallNumbers) {
  using C = ComplexNumber<float>;
  const std::complex<double> exp = std::exp(std::complex<double>(89, 1.57));
  EXPECT_NEAR(Exp(C(89, 1.57f)).real() / exp.real(), 1, 1e-4);
  EXPECT_EQ(Exp(C(1000, 0)).real(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Exp(C(1000, 0)).imag(), 0);
  EXPECT_EQ(Exp(C(-1000, 1)), C(0));
  EXPECT_EQ(Tan(C(0.5f, 500)), C(0, 1));
  EXPECT_EQ(Tan(C(0.5f, -500)), C(0, -1));
  EXPECT_EQ(Sinh(C(0, 0)), C(0));
  EXPECT_EQ(Log(C(0)).real(), -std::numeric_limits<float>::infinity());
  EXPECT_FLOAT_EQ(Log1p(C(1e-12f, 1e-13f)).real(), 1e-12f);
  EXPECT_FLOAT_EQ(Sqrt(C(3e38f, 0)).real(), std::sqrt(3e38f));
  EXPECT_EQ(Sqrt(C(-4, 0)), C(0, 2));
  EXPECT_EQ(Sqrt(C(-4, -0.0f)), C(0, -2));
}

TEST(ComplexNumber, Quotients) {
  for (const std::complex<double> a : Places<double>()) {
    for (const std::complex<double> b : Places<double>()) {
      if (b == 0.0) continue;
      const auto quotient =
          ComplexNumber<double>(a.real(), a.imag()) / ComplexNumber<double>(b.real(), b.imag());
      ASSERT_LE(std::abs(Standard(quotient) - a / b), 1e-15 * std::abs(a / b)) << a << b;
    }
  }
  using C = ComplexNumber<float>;
  const C large = C(3e38f, 1e38f) / C(3e38f, 1e38f), small = C(1e-30f, 0) / C(1e-30f, 1e-30f);
  EXPECT_FLOAT_EQ(large.real(), 1);
  EXPECT_FLOAT_EQ(small.real(), 0.5f);
  EXPECT_FLOAT_EQ(small.imag(), -0.5f);
  const C infinite = C(1, 2) / C(0);
  EXPECT_EQ(infinite.real(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(infinite.imag(), std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace warpbeam::host_pass
