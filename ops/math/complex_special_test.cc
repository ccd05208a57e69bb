#include <cmath>
#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

TEST(Complex, Parts) {
  const auto z = OpTest::Make<C>({2}, {C(3, 4), C(0, -2)});
  OpTest("Real").Input(z).Expect<float>({2}, {3, 0});
  OpTest("Imag").Input(z).Expect<float>({2}, {4, -2});
  OpTest("ComplexAbs").Input(z).Expect<float>({2}, {5, 2});
  OpTest("Angle").Input(z).Expect<float>({2}, {std::atan2(4.0f, 3.0f), -std::acos(0.0f)});
  OpTest("Conj").Input(z).Expect<C>({2}, {C(3, -4), C(0, 2)});
  OpTest("Real").Attr("Tout", DType::kDouble).Input<Z>({1}, {Z(1, 2)}).Expect<double>({1}, {1});
  OpTest("Complex").Input<float>({2}, {1, 2}).Scalar<float>(3).Expect<C>({2}, {C(1, 3), C(2, 3)});
}

TEST(ClipByValue, ScalarsAndTensors) {
  const auto x = OpTest::Make<float>({4}, {-3, 0.5f, 3, NAN});
  OpTest("ClipByValue")
      .Input(x)
      .Scalar<float>(-1)
      .Scalar<float>(1)
      .Expect<float>({4}, {-1, 0.5f, 1, NAN});
  OpTest("ClipByValue")
      .Input<int32_t>({2, 1}, {1, 5})
      .Input<int32_t>({2, 1}, {2, 2})
      .Scalar<int32_t>(4)
      .Expect<int32_t>({2, 1}, {2, 4});
  OpTest("ClipByValue").Input(x).Input<float>({2}, {0, 0}).Scalar<float>(1).ExpectError(kInvalid);
  OpTest("ClipByValue").Input(x).Input<float>({1}, {0}).Scalar<float>(1).ExpectError(kInvalid);
}

TEST(SpecialFunctions, KnownValues) {
  const std::vector<double> positive = {0.1, 0.5, 1, 2.5, 10, 30};
  ElementwiseOpTest("Lgamma").Samples(positive).AbsoluteError(1e-6).Reference(
      [](double x) { return std::lgamma(x); });
  ElementwiseOpTest("BesselJ0").Samples(positive).AbsoluteError(1e-6).Reference([](double x) {
    return ::j0(x);
  });
  ElementwiseOpTest("BesselY1")
      .Samples(positive)
      .Ulps(40)
      .AbsoluteError(1e-6)
      .Reference([](double x) { return ::y1(x); });
  ElementwiseOpTest("BesselI0").Samples({0, 0.5, 2, 7}).Ulps(20).Reference([](double x) {
    return std::cyl_bessel_i(0.0, x);
  });
  ElementwiseOpTest("NextAfter")
      .Types({DType::kDouble})
      .Samples({0, 1, -2})
      .Ulps(0)
      .Reference2([](double x, double y) { return std::nextafter(x, y); });
  OpTest("Digamma")
      .Input<double>({2}, {1, 0.5})
      .Expect<double>({2}, {-0.57721566490153287, -1.9635100260214235});
  OpTest("Erfinv")
      .Input<double>({2}, {0.5, -0.5})
      .Expect<double>({2}, {0.47693627620446987, -0.47693627620446987});
  OpTest("Ndtri").Input<double>({2}, {0.5, 0.975}).Expect<double>({2}, {0, 1.959963984540054});
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  OpTest("Ndtri")
      .Input<double>({5}, {0, 1, -1.5, kInf, kNaN})
      .Expect<double>({5}, {-kInf, kInf, kNaN, kNaN, kNaN});
  OpTest("Erfinv")
      .Input<double>({5}, {-1, 1, -1.5, kInf, kNaN})
      .Expect<double>({5}, {-kInf, kInf, kNaN, kNaN, kNaN});
  OpTest("Zeta")
      .Input<double>({7}, {kInf, kInf, kInf, kInf, kInf, -kInf, 3})
      .Input<double>({7}, {4.9, 1, .5, -1.5, kNaN, 2, kInf})
      .Expect<double>({7}, {0, 1, kInf, kInf, kNaN, kNaN, 0});
  OpTest("Zeta").Scalar<double>(2).Scalar<double>(1).ExpectScalar<double>(1.6449340668482264);
  OpTest("Polygamma").Scalar<double>(1).Scalar<double>(1).ExpectScalar<double>(1.6449340668482264);
  OpTest("Igamma").Scalar<double>(1).Scalar<double>(2).ExpectScalar<double>(1 - std::exp(-2.0));
  OpTest("Igammac").Scalar<double>(1).Scalar<double>(2).ExpectScalar<double>(std::exp(-2.0));
  OpTest("Betainc")
      .Input<double>({1}, {2})
      .Input<double>({1}, {3})
      .Scalar<double>(0.5)
      .Expect<double>({1}, {0.6875});
  OpTest("Betainc")
      .Input<double>({1}, {2})
      .Input<double>({2}, {3, 3})
      .Scalar<double>(0.5)
      .ExpectError(kInvalid);
}

}  // namespace
}  // namespace warpbeam
