#include <cmath>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

// Simpson's rule for the integral of f from `from` to `to`.
template <class F>
double Integral(F f, double from, double to) {
  constexpr int kSteps = 20000;
  const double h = (to - from) / kSteps;
  double sum = f(from) + f(to);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 0 ? 2 : 4) * f(from + i * h);
  return sum * h / 3;
}

TEST(IntegralFunctions, EqualTheIntegralsThatDefineThem) {
  ElementwiseOpTest("Dawsn")
      .Samples({-5, -0.3, 0, 0.1, 0.49, 0.51, 0.9, 2, 5, 11.9, 12.1})
      .AbsoluteError(1e-8)
      .Reference([](double x) {
        return Integral([x](double t) { return std::exp(t * t - x * x); }, 0, x);
      });
  ElementwiseOpTest("FresnelCos")
      .Samples({-3, -1.4, 0, 0.2, 1, 1.49, 1.51, 2.7, 6})
      .AbsoluteError(2e-7)
      .Reference([](double x) {
        return Integral([](double t) { return std::cos(std::acos(-1.0) / 2 * t * t); }, 0, x);
      });
  ElementwiseOpTest("FresnelSin")
      .Samples({-3, -1.4, 0, 0.2, 1, 1.49, 1.51, 2.7, 6})
      .AbsoluteError(2e-7)
      .Reference([](double x) {
        return Integral([](double t) { return std::sin(std::acos(-1.0) / 2 * t * t); }, 0, x);
      });
  ElementwiseOpTest("Spence")
      .Samples({0.1, 0.3, 0.49, 0.51, 0.999, 1, 1.5, 1.99, 2.01, 7, 30})
      .Ulps(100)
      .AbsoluteError(1e-7)
      .Reference([](double x) {
        return Integral([](double t) { return t == 1 ? -1 : std::log(t) / (1 - t); }, 1, x);
      });
  ElementwiseOpTest("Expint")
      .Samples({0.1, 0.37, 1, 3, 10, 39.9, 40.1})
      .Ulps(200)
      .AbsoluteError(1e-6)
      .Reference([](double x) { return std::expint(x); });
}

TEST(IntegralFunctions, KeepTheirValuesToTheLastDigits) {
  OpTest("Dawsn")
      .Input<double>({4}, {0.1, 1, 3.3, 1e10})
      .Expect<double>({4}, {0.099335992397852866, 0.53807950691276841, 0.15978857969949943, 5e-11})
      .Within(0, 1e-8);
  OpTest("Spence")
      .Input<double>({2}, {0.5, 2})
      .Expect<double>({2}, {0.58224052646501250590, -0.82246703342411321824});
  OpTest("FresnelCos").Input<double>({1}, {1}).Expect<double>({1}, {0.77989340037682282947});
  OpTest("FresnelSin").Input<double>({1}, {1}).Expect<double>({1}, {0.43825914739035476608});
  OpTest("Expint").Input<double>({1}, {1}).Expect<double>({1}, {1.8951178163559367555});
}

TEST(IntegralFunctions, AtTheEndsOfTheNumbers) {
  const auto ends = OpTest::Make<double>({5}, {-kInf, 0, 1e300, kInf, kNaN});
  OpTest("Dawsn").Input(ends).Expect<double>({5}, {0, 0, 0, 0, kNaN});
  OpTest("Expint").Input(ends).Expect<double>({5}, {kNaN, -kInf, kInf, kNaN, kNaN});
  OpTest("FresnelCos").Input(ends).Expect<double>({5}, {-0.5, 0, 0.5, 0.5, kNaN});
  OpTest("FresnelSin").Input(ends).Expect<double>({5}, {-0.5, 0, 0.5, 0.5, kNaN});
  OpTest("Spence")
      .Input<double>({4}, {-1, 0, kInf, kNaN})
      .Expect<double>({4}, {kNaN, 1.6449340668482264, kNaN, kNaN});
}

}  // namespace
}  // namespace warpbeam
