// Metrics at thresholds, of classes and of elements give TensorFlow's numbers over two batches with
// weights of their own.
#include <string>
#include <vector>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/metrics/mean.h"
#include "frontend/metrics/thresholds.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

using ::testing::HasSubstr;

class OfThresholdsTest : public testing::Test {
 protected:
  // The value after both batches, and what the second update gave.
  void ExpectAfter(const Metric& metric, const std::vector<float>& want,
                   const std::vector<float>& want_of_update) {
    ASSERT_TRUE(root.ok()) << root.status();
    const Operation init =
        VariablesInitializer(root, GetVariables(root, GraphKeys::kLocalVariables));
    ClientSession session(root);
    ASSERT_TRUE(session.Run({init}).ok());
    const auto update = [&](const std::vector<int64_t>& y, const std::vector<float>& p,
                            const std::vector<float>& w) {
      return session.Run({{labels, Tensor::Vector<int64_t>(y)},
                          {scores, Tensor::Vector<float>(p)},
                          {weights, Tensor::Vector<float>(w)}},
                         {metric.update_op});
    };
    ASSERT_TRUE(
        update({1, 0, 1, 1, 0, 1}, {0.9f, 0.4f, 0.35f, 0.8f, 0.65f, 0.1f}, {1, 2, 0.5f, 1, 1, 3})
            .ok());
    const auto updated =
        update({0, 0, 1, 0, 1, 1}, {0.2f, 0.7f, 0.55f, 0.05f, 0.45f, 0.95f}, {1, 1, 1, 2, 0.5f, 1});
    ASSERT_TRUE(updated.ok()) << updated.status();
    ExpectValues((*updated)[0], want_of_update);
    const auto value = session.Run({metric.value});
    ASSERT_TRUE(value.ok()) << value.status();
    ExpectValues((*value)[0], want);
  }
  void ExpectAfter(const Metric& metric, const std::vector<float>& want) {
    ExpectAfter(metric, want, want);
  }

  static void ExpectValues(const Tensor& got, const std::vector<float>& want) {
    ASSERT_EQ(got.num_elements(), static_cast<int64_t>(want.size()));
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got.data<float>()[i], want[i], 2e-6) << i;
  }

  const Scope root = Scope::NewRoot();
  const Output labels = Placeholder(root, DType::kInt64, {6});
  const Output scores = Placeholder(root, DType::kFloat, {6});
  const Output weights = Placeholder(root, DType::kFloat, {6});
  const MetricOptions weighted = MetricOptions().weights(weights);
  const std::vector<float> thresholds = {0.3f, 0.5f, 0.7f};
};

TEST_F(OfThresholdsTest, Counts) {
  ExpectAfter(TruePositivesAtThresholds(root, labels, scores, thresholds, weighted), {5, 4, 3});
  ExpectAfter(TrueNegativesAtThresholds(root, labels, scores, thresholds), {2, 3, 5});
  ExpectAfter(FalsePositivesAtThresholds(root, labels, scores, thresholds), {3, 2, 0});
  ExpectAfter(FalseNegativesAtThresholds(root, labels, scores, thresholds, weighted), {3, 4, 5});
}

TEST_F(OfThresholdsTest, SensitivityAndSpecificity) {
  ExpectAfter(SensitivityAtSpecificity(root, labels, scores, 0.7), {0.7142857f});
  ExpectAfter(SensitivityAtSpecificity(root, labels, scores, 0.6, weighted, 50), {0.5625f});
  ExpectAfter(SpecificityAtSensitivity(root, labels, scores, 0.6), {0.6f});
  ExpectAfter(SpecificityAtSensitivity(root, labels, scores, 0.8, weighted, 50), {0.42857143f});
}

TEST_F(OfThresholdsTest, Means) {
  const Output numbers = Cast(root, labels, DType::kFloat);
  const Output normalizer = Subtract(root, Multiply(root, scores, 2.0f), 0.4f);
  ExpectAfter(MeanRelativeError(root, Add(root, numbers, 1.0f), scores, normalizer, weighted),
              {-1.4858202f});
  ExpectAfter(
      MeanCosineDistance(root, Reshape(root, numbers, {3, 2}), Reshape(root, scores, {3, 2}), 1),
      {0.31666666f});
  ExpectAfter(PercentageBelow(root, scores, 0.5f, weighted), {0.6f});
  ExpectAfter(MeanTensor(root, scores, weighted),
              {0.55f, 0.5f, 0.48333335f, 0.3f, 0.5833333f, 0.3125f});
}

TEST_F(OfThresholdsTest, AccuracyOfClasses) {
  const Output decided = Cast(root, Greater(root, scores, 0.5f), DType::kInt64);
  ExpectAfter(MeanPerClassAccuracy(root, labels, decided, 2, weighted), {0.60714287f},
              {0.71428573f, 0.5f});
}

TEST_F(OfThresholdsTest, VariablesAreNamedAsTensorFlowNamesThem) {
  FalseNegativesAtThresholds(root, labels, scores, thresholds);
  MeanTensor(root.Named("m"), scores);
  std::vector<std::string> names;
  for (const Variable& variable : GetVariables(root, GraphKeys::kMetricVariables)) {
    names.push_back(variable.name());
  }
  EXPECT_THAT(names, testing::ElementsAre("false_negatives/false_negatives", "m/total_tensor",
                                          "m/count_tensor"));
}

TEST_F(OfThresholdsTest, SaysWhatDoesNotFit) {
  SensitivityAtSpecificity(root, labels, scores, 1.5);
  EXPECT_THAT(std::string(root.status().message()), HasSubstr("takes a part in [0, 1]"));
  const Scope other = Scope::NewRoot();
  MeanTensor(other, Placeholder(other, DType::kFloat, {-1}));
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("must know the shape"));
}

}  // namespace
}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
