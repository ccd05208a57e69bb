// Metrics over two batches give TensorFlow's numbers.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/metrics/at_k.h"
#include "frontend/metrics/auc.h"
#include "frontend/metrics/confusion.h"
#include "frontend/metrics/mean.h"
#include "frontend/metrics/thresholds.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace metrics {
namespace {

struct Batches {
  Operation Initializer() const {
    return VariablesInitializer(root, GetVariables(root, GraphKeys::kLocalVariables));
  }
  // The value after two batches, which the second update gives, too.
  double After(const Metric& metric) const {
    const std::vector<float> all = AllAfter(metric);
    return all.size() == 1 ? all[0] : -1;
  }
  std::vector<float> AllAfter(const Metric& metric) const {
    EXPECT_TRUE(root.ok()) << root.status();
    if (!root.ok()) return {};
    const Output value = Cast(root, metric.value, DType::kFloat);
    const Output updated = Cast(root, metric.update_op, DType::kFloat);
    const Operation init = Initializer();
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok());
    const auto vector = [](std::vector<float> values) { return Tensor::Vector<float>(values); };
    const auto run = [&](std::vector<float> l, std::vector<float> p, const Output& fetch) {
      const auto out = session.Run({{labels, vector(l)}, {predictions, vector(p)}}, {fetch});
      EXPECT_TRUE(out.ok()) << out.status();
      if (!out.ok()) return std::vector<float>();
      const float* const data = (*out)[0].data<float>();
      return std::vector<float>(data, data + (*out)[0].num_elements());
    };
    run({0, 1, 1, 0}, {0.1f, 0.9f, 0.3f, 0.7f}, updated);
    const std::vector<float> after_update = run({1, 0, 1, 1}, {0.8f, 0.2f, 0.6f, 0.4f}, updated);
    const std::vector<float> after = run({0, 0, 0, 0}, {0, 0, 0, 0}, value);
    if (updated.shape().rank() == value.shape().rank()) {
      EXPECT_EQ(after, after_update);
    }
    return after;
  }

  const Scope root = Scope::NewRoot();
  const Output labels = Placeholder(root, DType::kFloat, {-1});
  const Output predictions = Placeholder(root, DType::kFloat, {-1});
  const Output truth = Cast(root, labels, DType::kBool);
  const Output decided = Greater(root, predictions, 0.5f);
  const MetricOptions weighted = MetricOptions().weights(Constant(root, {1.0f, 2.0f, 0.0f, 1.0f}));
};

TEST(MetricsTest, MeansGiveTensorFlowsNumbers) {
  const Batches b;
  const Scope& s = b.root;
  EXPECT_NEAR(b.After(Mean(s, b.predictions, b.weighted)), 0.525, 1e-6);
  EXPECT_NEAR(b.After(Accuracy(s, b.truth, b.decided)), 0.625, 1e-6);
  EXPECT_NEAR(b.After(Accuracy(s, b.truth, b.decided, b.weighted)), 0.75, 1e-6);
  EXPECT_NEAR(b.After(MeanSquaredError(s, b.labels, b.predictions)), 0.2, 1e-6);
  EXPECT_NEAR(b.After(RootMeanSquaredError(s, b.labels, b.predictions)), 0.4472136, 1e-6);
  EXPECT_NEAR(b.After(MeanAbsoluteError(s, b.labels, b.predictions, b.weighted)), 0.275, 1e-6);
}

TEST(MetricsTest, CountsGiveTensorFlowsNumbers) {
  const Batches b;
  const Scope& s = b.root;
  EXPECT_NEAR(b.After(Precision(s, b.truth, b.decided)), 0.75, 1e-6);
  EXPECT_NEAR(b.After(Recall(s, b.truth, b.decided, b.weighted)), 0.75, 1e-6);
  EXPECT_EQ(b.After(TruePositives(s, b.truth, b.decided)), 3);
  EXPECT_EQ(b.After(TrueNegatives(s, b.truth, b.decided)), 2);
  EXPECT_EQ(b.After(FalsePositives(s, b.truth, b.decided, b.weighted)), 1);
  EXPECT_EQ(b.After(FalseNegatives(s, b.truth, b.decided)), 2);
}

TEST(MetricsTest, AreasGiveTensorFlowsNumbers) {
  const Batches b;
  const MetricOptions plain;
  const AucOptions few = AucOptions().num_thresholds(11);
  EXPECT_NEAR(b.After(Auc(b.root, b.truth, b.predictions)), 0.7999998, 1e-5);
  EXPECT_NEAR(b.After(Auc(b.root, b.truth, b.predictions, b.weighted, few)), 0.9374998, 1e-5);
  EXPECT_NEAR(b.After(Auc(b.root, b.truth, b.predictions, plain,
                          AucOptions(few).curve(Curve::kPrecisionRecall))),
              0.8599999, 1e-5);
  for (const Summation summation : {Summation::kMinoring, Summation::kMajoring}) {
    const AucOptions stairs = AucOptions(few).summation_method(summation);
    EXPECT_NEAR(b.After(Auc(b.root, b.truth, b.predictions, plain, stairs)), 0.7999998, 1e-5);
  }
}

TEST(MetricsTest, MeanIouGivesTensorFlowsNumbers) {
  const Batches b;
  EXPECT_NEAR(b.After(MeanIou(b.root, b.truth, b.decided, 3)), 0.45, 1e-6);
  EXPECT_NEAR(b.After(MeanIou(b.root, b.truth, b.decided, 3, b.weighted)), 0.6, 1e-6);
}

TEST(MetricsTest, MetricsAtKGiveTensorFlowsNumbers) {
  const Batches b;
  const Scope& s = b.root;
  const Output p = b.predictions;
  const Output scores =
      Stack(s, {p, Subtract(s, 1.0f, p), Square(s, p), Constant(s, {0.4f, 0.4f, 0.4f, 0.4f})}, 1);
  const Output one = Cast(s, b.labels, DType::kInt64);
  const Output second = Constant(s, std::vector<int64_t>{2, 2, 3, 3});
  const Output two = Stack(s, {one, second}, 1);
  EXPECT_NEAR(b.After(PrecisionAtK(s, two, scores, 2)), 0.4375, 1e-6);
  EXPECT_NEAR(b.After(RecallAtK(s, two, scores, 2)), 0.4375, 1e-6);
  EXPECT_NEAR(b.After(RecallAtK(s, one, scores, 1)), 0.375, 1e-6);
  EXPECT_NEAR(b.After(RecallAtK(s, two, scores, 2, b.weighted)), 0.3125, 1e-6);
}

TEST(MetricsTest, MetricsOfOneClassGiveTensorFlowsNumbers) {
  const Batches b;
  const Scope& s = b.root;
  const Output p = b.predictions;
  const Output scores =
      Stack(s, {p, Subtract(s, 1.0f, p), Square(s, p), Constant(s, {0.4f, 0.4f, 0.4f, 0.4f})}, 1);
  const Output one = Cast(s, b.labels, DType::kInt64);
  const Output two = Stack(s, {one, Constant(s, std::vector<int64_t>{2, 2, 3, 3})}, 1);
  const double precision[] = {0.2, 0.5, 2.0 / 3, 0.5};
  const double recall[] = {1.0 / 3, 0.4, 0.5, 0.5};
  const double weighted[] = {0.25, 0.25, 0.5, 0};
  for (int64_t c = 0; c < 4; ++c) {
    SCOPED_TRACE(c);
    const AtKOptions of_class = AtKOptions().class_id(c);
    EXPECT_NEAR(b.After(PrecisionAtK(s, two, scores, 2, of_class)), precision[c], 1e-6);
    EXPECT_NEAR(b.After(RecallAtK(s, two, scores, 2, of_class)), recall[c], 1e-6);
    EXPECT_NEAR(b.After(RecallAtK(s, two, scores, 2, AtKOptions(b.weighted).class_id(c))),
                weighted[c], 1e-6);
  }
  const Output top = Stack(
      s, {Cast(s, b.decided, DType::kInt64), Constant(s, std::vector<int64_t>{2, 3, 2, 3})}, 1);
  EXPECT_NEAR(b.After(PrecisionAtTopK(s, two, top)), 0.5625, 1e-6);
  EXPECT_NEAR(b.After(RecallAtTopK(s, two, top)), 0.5625, 1e-6);
  EXPECT_NEAR(b.After(RecallAtTopK(s, two, top, AtKOptions().class_id(1))), 0.6, 1e-6);
}

// Examples with one, two, no and one right class.
TEST(MetricsTest, LabelsMayBeSparse) {
  const Batches b;
  const Scope& s = b.root;
  const Output p = b.predictions;
  const Output scores =
      Stack(s, {p, Subtract(s, 1.0f, p), Square(s, p), Constant(s, {0.4f, 0.4f, 0.4f, 0.4f})}, 1);
  const Output one = Cast(s, b.labels, DType::kInt64);
  const Output three = Constant(s, std::vector<int64_t>{3});
  const Output indices =
      Constant(s, Tensor::FromValues<int64_t>(Shape({4, 2}), {0, 0, 1, 0, 1, 1, 3, 0}));
  const std::vector<Output> each = Split(s, one, 4);
  const ClassLabels labels(indices, Concat(s, {each[0], each[1], three, each[3]}, 0),
                           Constant(s, std::vector<int64_t>{4, 2}));
  EXPECT_NEAR(b.After(PrecisionAtK(s, labels, scores, 2)), 0.1875, 1e-6);
  EXPECT_NEAR(b.After(RecallAtK(s, labels, scores, 2)), 0.375, 1e-6);
  EXPECT_NEAR(b.After(PrecisionAtK(s, labels, scores, 2, AtKOptions().class_id(1))), 0.25, 1e-6);
  EXPECT_NEAR(b.After(RecallAtK(s, labels, scores, 2, AtKOptions().class_id(0))), 1.0 / 3, 1e-6);
}

TEST(MetricsTest, MetricsAtThresholdsGiveTensorFlowsNumbers) {
  const Batches b;
  const Scope& s = b.root;
  const std::vector<float> at = {0, 0.25f, 0.5f, 0.75f};
  const auto expect = [&](const Metric& metric, const std::vector<float>& wanted) {
    const std::vector<float> got = b.AllAfter(metric);
    ASSERT_EQ(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-6) << i;
  };
  expect(PrecisionAtThresholds(s, b.truth, b.predictions, at), {0.625f, 5.0f / 6, 0.75f, 1});
  expect(RecallAtThresholds(s, b.truth, b.predictions, at), {1, 1, 0.6f, 0.4f});
  expect(PrecisionAtThresholds(s, b.truth, b.predictions, at, b.weighted), {0.5f, 0.8f, 0.75f, 1});
  expect(RecallAtThresholds(s, b.truth, b.predictions, at, b.weighted), {1, 1, 0.75f, 0.75f});
}

TEST(MetricsTest, VariablesAreLocalAndNamedAsTensorFlows) {
  const Batches b;
  const MetricOptions collected =
      MetricOptions().metrics_collections({"values"}).updates_collections({"updates"});
  Accuracy(b.root, b.truth, b.decided, collected);
  Accuracy(b.root.Named("again"), b.truth, b.decided);
  Recall(b.root.NameScope("eval"), b.truth, b.decided);
  RecallAtK(b.root, Cast(b.root, b.labels, DType::kInt64), Zeros(b.root, {4, 9}), 5);
  PrecisionAtK(b.root, Cast(b.root, b.labels, DType::kInt64), Zeros(b.root, {4, 9}), 5,
               AtKOptions().class_id(3));
  PrecisionAtThresholds(b.root, b.truth, b.predictions, {0.5f});
  std::vector<std::string> names;
  for (const Variable& variable : GetVariables(b.root, GraphKeys::kLocalVariables)) {
    names.push_back(variable.name());
    EXPECT_FALSE(variable.trainable());
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "accuracy/total", "accuracy/count", "again/total", "again/count",
                       "eval/recall/true_positives/count", "eval/recall/false_negatives/count",
                       "recall_at_5/true_positive_at_5", "recall_at_5/false_negative_at_5",
                       "precision_at_5_class3/true_positive_at_5_class3",
                       "precision_at_5_class3/false_positive_at_5_class3",
                       "precision_at_thresholds/true_positives",
                       "precision_at_thresholds/false_positives"}));
  EXPECT_EQ(GetVariables(b.root, GraphKeys::kMetricVariables).size(), names.size());
  EXPECT_TRUE(GlobalVariables(b.root).empty());
  EXPECT_EQ(GetCollection(b.root, "values").size(), 1u);
  EXPECT_EQ(GetCollection(b.root, "updates").size(), 1u);
}

TEST(MetricsTest, WhatIsNoProbabilityFailsTheStep) {
  const Batches b;
  const Metric auc = Auc(b.root, b.truth, b.predictions);
  const Operation init = b.Initializer();
  ASSERT_TRUE(b.root.ok()) << b.root.status();
  ClientSession session(b.root);
  ASSERT_TRUE(session.Run({init}).ok());
  const auto out = session.Run(
      {{b.labels, Tensor::Vector<float>({1})}, {b.predictions, Tensor::Vector<float>({1.5f})}},
      {auc.update_op});
  EXPECT_EQ(out.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(out.status().message().find("[0, 1]"), absl::string_view::npos) << out.status();
}

TEST(MetricsTest, WhatDoesNotFitIsNamed) {
  const Batches b;
  Accuracy(b.root, Zeros(b.root, {4}), Zeros(b.root.Named("three"), {3}));
  EXPECT_NE(b.root.status().message().find("'zeros:0' of [4] do not fit predictions 'three:0'"),
            absl::string_view::npos)
      << b.root.status();
}

}  // namespace
}  // namespace metrics
}  // namespace frontend
}  // namespace warpbeam
