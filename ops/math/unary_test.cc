#include <cmath>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

TEST(UnaryArithmetic, Values) {
  const std::vector<double> any = {-3.5, -2.5, -1,  -0.5, -0.0, 0,     0.25,
                                   0.5,  1.5,  2.5, 100,  kInf, -kInf, kNaN};
  ElementwiseOpTest("Abs").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return std::abs(x);
  });
  ElementwiseOpTest("Neg").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return -x;
  });
  ElementwiseOpTest("Reciprocal").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return 1 / x;
  });
  ElementwiseOpTest("Square").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return x * x;
  });
  ElementwiseOpTest("Sqrt").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return std::sqrt(x);
  });
  ElementwiseOpTest("Rsqrt").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return 1 / std::sqrt(x);
  });
  ElementwiseOpTest("Round").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return std::nearbyint(x);
  });
  ElementwiseOpTest("Floor").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return std::floor(x);
  });
  ElementwiseOpTest("Ceil").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return std::ceil(x);
  });
  ElementwiseOpTest("Sign").Types(kFloatingTypes).Samples(any).Reference([](double x) {
    return std::isnan(x) ? x : (x > 0) - (x < 0);
  });
}

TEST(UnaryArithmetic, IntegersWrapAround) {
  OpTest("Neg").Input<int8_t>({3}, {-128, 5, 0}).Expect<int8_t>({3}, {-128, -5, 0});
  OpTest("Abs").Input<int32_t>({3}, {INT32_MIN, -7, 7}).Expect<int32_t>({3}, {INT32_MIN, 7, 7});
  OpTest("Square").Input<uint16_t>({2}, {65535, 3}).Expect<uint16_t>({2}, {1, 9});
  OpTest("Sign").Input<int64_t>({3}, {-9, 0, 4}).Expect<int64_t>({3}, {-1, 0, 1});
}

TEST(UnaryArithmetic, Complex) {
  using C = std::complex<float>;
  OpTest("Reciprocal").Input<C>({1}, {C(0, 2)}).Expect<C>({1}, {C(0, -0.5f)});
  OpTest("Sign").Input<C>({2}, {C(3, 4), C(0, 0)}).Expect<C>({2}, {C(0.6f, 0.8f), C(0, 0)});
}

// Values where the vector code needs help: beyond its range, at its edges, not finite.
const std::vector<double> kHard = {0,   -0.0, 1,    -1,    0.5,   -0.5,   1e-3, -1e-3, 3,   -3,
                                   20,  -20,  88,   -88,   89,    -100,   105,  -105,  710, -746,
                                   1e5, -1e5, 1e10, -1e10, 1e-30, -1e-30, kInf, -kInf, kNaN};

struct MathFunction {
  const char* op;
  double (*reference)(double);
  double ulps;
};

class UnaryTranscendental : public testing::TestWithParam<MathFunction> {};

TEST_P(UnaryTranscendental, AgreesWithTheCLibrary) {
  const MathFunction f = GetParam();
  std::vector<double> samples = kHard;
  for (double x = -4; x <= 4; x += 0.13) samples.push_back(x);
  ElementwiseOpTest(f.op)
      .Types({DType::kFloat, DType::kDouble})
      .Samples(samples)
      .Ulps(f.ulps)
      .AbsoluteError(1e-37)  // results that are not normal numbers in float
      .Reference(f.reference);
  ElementwiseOpTest(f.op)
      .Types({DType::kHalf, DType::kBFloat16})
      .Samples({-2, -1, -0.5, 0, 0.25, 0.5, 1, 2, 3})
      .Ulps(1)
      .Reference(f.reference);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, UnaryTranscendental,
    testing::Values(MathFunction{"Exp", std::exp, 4}, MathFunction{"Expm1", std::expm1, 6},
                    MathFunction{"Log", std::log, 4}, MathFunction{"Log1p", std::log1p, 4},
                    MathFunction{"Sin", std::sin, 6}, MathFunction{"Cos", std::cos, 6},
                    MathFunction{"Tan", std::tan, 12}, MathFunction{"Asin", std::asin, 6},
                    MathFunction{"Acos", std::acos, 6}, MathFunction{"Atan", std::atan, 6},
                    MathFunction{"Sinh", std::sinh, 8}, MathFunction{"Cosh", std::cosh, 8},
                    MathFunction{"Tanh", std::tanh, 6}, MathFunction{"Asinh", std::asinh, 6},
                    MathFunction{"Acosh", std::acosh, 6}, MathFunction{"Atanh", std::atanh, 6},
                    MathFunction{"Erf", std::erf, 6}, MathFunction{"Erfc", std::erfc, 16},
                    MathFunction{"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, 6}),
    [](const auto& info) { return std::string(info.param.op); });

// Those that have approximations of their own for float, over all that they approximate.
TEST(UnaryTranscendental, FloatsInSmallSteps) {
  std::vector<double> samples;
  for (double x = -10; x <= 10; x += 0.0013) samples.push_back(x);
  for (double x = 1e-38; x < 1; x *= 1.3) samples.insert(samples.end(), {x, -x});
  for (const auto& [op, reference] : std::vector<std::pair<const char*, double (*)(double)>>{
           {"Tanh", std::tanh}, {"Erf", std::erf}, {"Exp", std::exp}}) {
    if (absl::string_view(op) == "Exp") {
      for (double x = -90; x <= 90; x += 0.011) samples.push_back(x);
    }
    ElementwiseOpTest(op)
        .Types({DType::kFloat})
        .Samples(samples)
        .Ulps(5)
        .AbsoluteError(1e-37)
        .Reference(reference);
  }
  // 1 and no more where that is the nearest float: programs take 1 - y^2 and atanh of it.
  for (const auto& [op, end] : {std::make_pair("Tanh", 9.02), std::make_pair("Erf", 3.96)}) {
    std::vector<double> far;
    for (double x = end; x < 2 * end; x += 0.01) far.insert(far.end(), {x, -x});
    ElementwiseOpTest(op).Types({DType::kFloat}).Samples(far).Ulps(0).Reference([](double x) {
      return std::copysign(1, x);
    });
  }
}

// A neighbour that needs another way must not change an element's last bit: where a loop is split
// differs from run to run.
TEST(UnaryTranscendental, NeighboursDoNotMatter) {
  for (const char* op : {"Exp", "Sigmoid", "Tanh", "Erf", "Sin", "Cos"}) {
    Tensor alone = *Tensor::Allocate(DType::kFloat, {800}), beside = *alone.Clone();
    for (int64_t i = 0; i < 800; ++i) {
      alone.data<float>()[i] = static_cast<float>(i - 400) * 0.1f;
      beside.data<float>()[i] = i % 2 == 0 ? alone.data<float>()[i] : -1e9f;
    }
    const auto expected = OpRunner(op).Input(alone).Run(), got = OpRunner(op).Input(beside).Run();
    ASSERT_TRUE(expected.ok() && got.ok());
    for (int64_t i = 0; i < 800; i += 2) {
      ASSERT_EQ((*got)[0].data<float>()[i], (*expected)[0].data<float>()[i]) << op << " " << i;
    }
  }
}

TEST(UnaryTranscendental, ComplexNumbers) {
  using C = std::complex<double>;
  const C z(0.5, -1.25);
  OpTest("Exp").Input<C>({1}, {z}).Expect<C>({1}, {std::exp(z)});
  OpTest("Log1p").Input<C>({1}, {z}).Expect<C>({1}, {std::log(1.0 + z)});
  OpTest("Expm1").Input<C>({1}, {z}).Expect<C>({1}, {std::exp(z) - 1.0});
  OpTest("Tanh").Input<C>({1}, {z}).Expect<C>({1}, {std::tanh(z)});
}

TEST(GradOps, Values) {
  OpTest("TanhGrad")
      .Input<float>({2}, {0.5f, 0})
      .Input<float>({2}, {2, 3})
      .Expect<float>({2}, {1.5f, 3});
  OpTest("SigmoidGrad")
      .Input<float>({1}, {0.25f})
      .Input<float>({1}, {2})
      .Expect<float>({1}, {0.375f});
  OpTest("SqrtGrad").Input<float>({1}, {2}).Input<float>({1}, {8}).Expect<float>({1}, {2});
  OpTest("RsqrtGrad").Input<float>({1}, {0.5f}).Input<float>({1}, {8}).Expect<float>({1}, {-0.5f});
  OpTest("ReciprocalGrad").Input<float>({1}, {3}).Input<float>({1}, {2}).Expect<float>({1}, {-18});
}

// What TensorFlow 2.21 gives: some conjugate y, others leave that to who asks.
TEST(GradOps, ComplexNumbers) {
  using C = std::complex<float>;
  const auto y = OpTest::Make<C>({2}, {C(1, 2), C(-0.5f, 0.25f)});
  const auto dy = OpTest::Make<C>({2}, {C(0.5f, -1), C(2, 1)});
  const auto expect = [&](const char* op, C first, C second) {
    OpTest(op).Input(y).Input(dy).Expect<C>({2}, {first, second});
  };
  expect("TanhGrad", C(-2, -6), C(1.375f, 1.3125f));
  expect("SigmoidGrad", C(0, -5), C(-1.875f, 0.3125f));
  expect("ReciprocalGrad", C(5.5f, -1), C(-0.125f, -0.6875f));
  expect("SqrtGrad", C(0.25f, 0), C(-2, 0));
  expect("RsqrtGrad", C(1.75f, -6), C(-0.0546875f, 0.1875f));
}

TEST(GradOps, ShapesMustAgree) {
  OpTest("TanhGrad")
      .Input<float>({2}, {1, 2})
      .Input<float>({3}, {1, 2, 3})
      .ExpectError(StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
