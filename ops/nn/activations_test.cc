#include <cmath>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

constexpr double kScale = 1.0507009873554805, kScaleAlpha = 1.7580993408473766;

TEST(Activations, Values) {
  const std::vector<double> samples = {-40, -3, -0.5, 0, 0.25, 1, 5.5, 7, 30, kInf, -kInf, kNaN};
  const auto check = [&](const char* op, std::function<double(double)> f) {
    ElementwiseOpTest(op)
        .Types(kFloatingTypes)
        .Samples(samples)
        .AbsoluteError(1e-7)
        .Reference(std::move(f));
  };
  check("Relu", [](double x) { return x <= 0 ? 0 : x; });
  check("Relu6", [](double x) { return x <= 0 ? 0 : x >= 6 ? 6 : x; });
  check("LeakyRelu", [](double x) { return x > 0 ? x : x * 0.2f; });
  check("Elu", [](double x) { return x < 0 ? std::expm1(x) : x; });
  check("Selu", [](double x) { return x < 0 ? kScaleAlpha * std::expm1(x) : kScale * x; });
  check("Softplus", [](double x) { return x > 40 ? x : std::log1p(std::exp(x)); });
  check("Softsign", [](double x) { return x / (1 + std::abs(x)); });
}

TEST(Activations, Gradients) {
  const std::vector<double> dy = {-2, 0, 1, 3}, x = {-30, -3, -0.5, 0, 0.25, 5.5, 6, 7, 30};
  const auto check = [&](const char* op, std::function<double(double, double)> f) {
    ElementwiseOpTest(op).Samples(dy).Samples2(x).Reference2(std::move(f));
  };
  check("ReluGrad", [](double g, double v) { return v > 0 ? g : 0; });
  check("Relu6Grad", [](double g, double v) { return v > 0 && v < 6 ? g : 0; });
  check("LeakyReluGrad", [](double g, double v) { return v > 0 ? g : g * 0.2f; });
  check("EluGrad", [](double g, double y) { return y < 0 ? g * (y + 1) : g; });
  check("SeluGrad", [](double g, double y) { return g * (y < 0 ? y + kScaleAlpha : kScale); });
  check("SoftplusGrad", [](double g, double v) { return g / (1 + std::exp(-v)); });
  check("SoftsignGrad", [](double g, double v) { return g / std::pow(1 + std::abs(v), 2); });
}

TEST(Activations, IntegersAndShapes) {
  OpTest("Relu").Input<int8_t>({3}, {-3, 0, 4}).Expect<int8_t>({3}, {0, 0, 4});
  OpTest("Relu6").Input<uint8_t>({3}, {3, 0, 14}).Expect<uint8_t>({3}, {3, 0, 6});
  OpTest("LeakyRelu").Attr("alpha", 2.0f).Input<float>({2}, {-1, 3}).Expect<float>({2}, {-2, 3});
  // As TensorFlow 2.21 rounds them: the slope is a half too.
  OpTest("LeakyRelu")
      .Attr("alpha", 0.2f)
      .Input<Half>({2}, {Half(-3), Half(-7)})
      .Expect<Half>({2}, {Half(-0.5996f), Half(-1.399f)})
      .Within(0, 0);
  OpTest("ReluGrad")
      .Input<float>({2, 3}, {1, 1, 1, 1, 1, 1})
      .Input<float>({1, 3}, {1, 1, 1})
      .ExpectError(kInvalid);
}

TEST(BiasAdd, BothFormats) {
  const auto bias = OpTest::Make<float>({3}, {1, 2, 3});
  OpTest("BiasAdd")
      .Input<float>({2, 3}, {0, 0, 0, 10, 10, 10})
      .Input(bias)
      .Expect<float>({2, 3}, {1, 2, 3, 11, 12, 13});
  OpTest("BiasAddV1")
      .Input<float>({1, 1, 3}, {0, 0, 0})
      .Input(bias)
      .Expect<float>({1, 1, 3}, {1, 2, 3});
  OpTest("BiasAdd")
      .Attr("data_format", std::string("NCHW"))
      .Input<int32_t>({1, 2, 1, 2}, {0, 1, 2, 3})
      .Input<int32_t>({2}, {10, 20})
      .Expect<int32_t>({1, 2, 1, 2}, {10, 11, 22, 23});
  OpTest("BiasAdd").Input<float>({2, 2}, {0, 0, 0, 0}).Input(bias).ExpectError(kInvalid);
  OpTest("BiasAdd").Input<float>({3}, {0, 0, 0}).Input(bias).ExpectError(kInvalid);
  OpTest("BiasAddGrad").Input<float>({2, 3}, {1, 2, 3, 4, 5, 6}).Expect<float>({3}, {5, 7, 9});
  OpTest("BiasAddGrad")
      .Attr("data_format", std::string("NCHW"))
      .Input<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
      .Expect<float>({2}, {14, 22});
  OpTest("BiasAddGrad").Input<float>({0, 3}, {}).Expect<float>({3}, {0, 0, 0});
}

}  // namespace
}  // namespace warpbeam
