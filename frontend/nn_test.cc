// The functions of tf.nn give TensorFlow's numbers.
#include "frontend/nn.h"

#include <cmath>
#include <functional>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/gradients.h"
#include "frontend/graph_state.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NnTest : public testing::Test {
 protected:
  NnTest()
      : logits(Constant(root, std::vector<float>{1, -2, 0.5, 0, 3, -1}, DType::kFloat, {2, 3})),
        labels(Constant(root, std::vector<float>{0.2, 0.3, 0.5, 1, 0, 0}, DType::kFloat, {2, 3})) {}

  Tensor Run(const Output& output) {
    ClientSession session(root);
    const auto got = session.Run({output});
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? (*got)[0] : Tensor::Scalar<float>(0);
  }

  void ExpectValues(const Output& output, const std::vector<float>& want) {
    const Tensor got = Run(output);
    ASSERT_EQ(got.num_elements(), static_cast<int64_t>(want.size()));
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_NEAR(got.data<float>()[i], want[i], 2e-6 * (1 + std::abs(want[i]))) << i;
    }
  }

  const Scope root = Scope::NewRoot();
  const Output logits, labels;
};

TEST_F(NnTest, ConvolutionsAndPools) {
  const Output x =
      Constant(root, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8}, DType::kFloat, {1, 3, 3, 1});
  const Output k =
      Constant(root, std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}, DType::kFloat, {2, 2, 1, 2});
  ExpectValues(nn::Conv2D(root, x, k, {2}, "SAME"), {38, 46, 20, 27, 14, 27, 0, 8});
  ExpectValues(nn::Conv2D(root, x, k, {1, 1, 1, 1}, "VALID"), {38, 46, 50, 62, 74, 94, 86, 110});
  ExpectValues(nn::MaxPool(root, x, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"), {4, 5, 7, 8});
  ExpectValues(nn::AvgPool(root, x, {2}, {1}, "VALID"), {2, 3, 5, 6});
}

TEST_F(NnTest, LocalResponseNormalization) {
  const Output x =
      Constant(root, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, DType::kFloat, {1, 1, 2, 4});
  ExpectValues(nn::LocalResponseNormalization(root, x, 1, 1.0, 0.5, 0.75),
               {0.39079496f, 0.42044821f, 0.38403648f, 0.56794941f, 0.37604257f, 0.29309627f,
                0.27329895f, 0.38312373f});
}

TEST_F(NnTest, Losses) {
  ExpectValues(nn::SoftmaxCrossEntropyWithLogits(root, labels, logits), {1.6545969f, 3.0658839f});
  ExpectValues(nn::SigmoidCrossEntropyWithLogits(root, labels, logits),
               {1.1132617f, 0.726928f, 0.72407699f, 0.69314718f, 3.0485873f, 0.31326169f});
  ExpectValues(nn::WeightedCrossEntropyWithLogits(root, labels, logits, 2.0),
               {1.175914f, 1.3650063f, 0.96111548f, 1.3862944f, 3.0485873f, 0.31326175f});
}

TEST_F(NnTest, OnlyTheSecondSoftmaxLossHasGradientsOfLabels) {
  const auto second = Gradients(root, {nn::SoftmaxCrossEntropyWithLogitsV2(root, labels, logits)},
                                {logits, labels});
  ExpectValues(second[0].dense(),
               {0.40374893f, -0.26994112f, -0.13380778f, -0.95338738f, 0.93623954f, 0.017147826f});
  ExpectValues(second[1].dense(),
               {0.50459689f, 3.5045969f, 1.0045969f, 3.0658839f, 0.065883912f, 4.0658841f});
  const auto first =
      Gradients(root, {nn::SoftmaxCrossEntropyWithLogits(root, labels, logits)}, {logits, labels});
  EXPECT_TRUE(first[0].has_value());
  EXPECT_FALSE(first[1].has_value());
}

TEST_F(NnTest, Normalizations) {
  ExpectValues(nn::L2Normalize(root, logits, 1),
               {0.43643576f, -0.87287152f, 0.21821788f, 0, 0.94868326f, -0.31622776f});
  const nn::MeanAndVariance moments = nn::Moments(root, logits, {0});
  ExpectValues(moments.mean, {0.5, 0.5, -0.25});
  ExpectValues(moments.variance, {0.25, 6.25, 0.5625});
  const Output offset = Constant(root, std::vector<float>{1, 2, 3});
  const Output scale = Constant(root, std::vector<float>{0.5, 1, 2});
  ExpectValues(
      nn::BatchNormalization(root, logits, moments.mean, moments.variance, offset, scale, 1e-3),
      {1.4990029f, 1.0000801f, 4.9982243f, 0.50099695f, 2.9999199f, 1.0017753f});
}

TEST_F(NnTest, ActivationsAndCounts) {
  ExpectValues(nn::Crelu(root, logits), {1, 0, 0.5, 0, 2, 0, 0, 3, 0, 0, 0, 1});
  ExpectValues(nn::LeakyRelu(root, logits), {1, -0.4f, 0.5, 0, 3, -0.2f});
  ExpectValues(nn::ZeroFraction(root, Constant(root, {0.0f, 1.0f, 0.0f, 2.0f})), {0.5});
  const Tensor in = Run(nn::InTopK(root, logits, Constant(root, {2, 1}), 1));
  EXPECT_FALSE(in.data<bool>()[0]);
  EXPECT_TRUE(in.data<bool>()[1]);
}

TEST_F(NnTest, DropoutDrawsWhatTensorFlowDraws) {
  root.SetRandomSeed(7);
  const Output x = Ones(root, {6});
  const Output dropped = nn::Dropout(root, x, 0.5, nn::DropoutOptions().seed(6));
  ClientSession session(root);
  const std::vector<std::vector<float>> want = {
      {2, 0, 0, 2, 0, 0}, {2, 0, 0, 0, 2, 2}, {2, 0, 0, 2, 0, 2}, {2, 0, 2, 2, 0, 0}};
  for (const std::vector<float>& values : want) {
    const auto got = session.Run({dropped});
    ASSERT_TRUE(got.ok()) << got.status();
    const float* data = (*got)[0].data<float>();
    EXPECT_EQ(std::vector<float>(data, data + 6), values);
  }
}

void ExpectRefused(const std::function<void(const Scope&, const Output&)>& build,
                   const std::string& part) {
  const Scope root = Scope::NewRoot();
  build(root, Placeholder(root, DType::kFloat, {1, 8, 8, 3}));
  EXPECT_THAT(std::string(root.status().message()), HasSubstr(part));
}

TEST(NnErrors, SayWhatIsWrong) {
  ExpectRefused(
      [](const Scope& s, const Output& x) {
        nn::Conv2D(s, x, Zeros(s, {1, 1, 3, 2}), {1, 2, 3}, "SAME");
      },
      "Conv2D: strides are 1, 2 or 4 numbers, got 3");
  ExpectRefused(
      [](const Scope& s, const Output& x) {
        nn::Conv2D(s, x, Zeros(s, {1, 1, 3, 2}), {1}, "same");
      },
      "not \"same\"");
  ExpectRefused(
      [](const Scope& s, const Output& x) { nn::MaxPool(s, x, {2}, {2}, "SAME", "NHCW"); },
      "not \"NHCW\"");
  ExpectRefused([](const Scope& s, const Output& x) { nn::Dropout(s, x, 0.0); },
                "keep_prob must be in (0, 1], got 0");
  ExpectRefused([](const Scope& s, const Output& x) { nn::DropoutByRate(s, x, 1.5); },
                "the rate must be in [0, 1), got 1.5");
  ExpectRefused(
      [](const Scope& s, const Output& x) {
        nn::Dropout(s, Constant(s, {1, 2}), 0.5);
      },
      "must be a floating-point tensor, not int32");
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
