// Losses give TensorFlow's numbers, with weights and every reduction.
#include "frontend/losses/losses.h"

#include <functional>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace losses {
namespace {

struct Batch {
  Output Matrix(std::vector<float> values, int rows, int columns) const {
    return Constant(root, values, DType::kFloat, {rows, columns});
  }
  Tensor Run(const Output& x) const {
    EXPECT_TRUE(root.ok()) << root.status();
    if (!root.ok()) return Tensor::Scalar<float>(-1);
    ClientSession session(root);
    const auto out = session.Run({x});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor::Scalar<float>(-1);
  }
  float Value(const Output& loss) const { return Run(loss).scalar<float>(); }

  const Scope root = Scope::NewRoot();
  const Output predictions = Matrix({0.2f, 0.7f, 0.4f, 0.9f, 0.1f, 0.5f}, 2, 3);
  const Output labels = Matrix({0, 1, 0, 1, 0, 1}, 2, 3);
  const LossOptions weighted = LossOptions().weights(Matrix({2, 0}, 2, 1));
};

TEST(LossesTest, GiveTensorFlowsNumbers) {
  const Batch b;
  const Scope& s = b.root;
  EXPECT_NEAR(b.Value(AbsoluteDifference(s, b.labels, b.predictions, b.weighted)), 0.6, 1e-6);
  EXPECT_NEAR(b.Value(MeanSquaredError(s, b.labels, b.predictions, b.weighted)), 0.1933333, 1e-6);
  EXPECT_NEAR(b.Value(SigmoidCrossEntropy(s, b.labels, b.predictions, b.weighted, 0.1)), 1.4128934,
              1e-6);
  EXPECT_NEAR(b.Value(HingeLoss(s, b.labels, b.predictions, b.weighted)), 1.9333333, 1e-6);
  EXPECT_NEAR(b.Value(HuberLoss(s, b.labels, b.predictions, b.weighted, 0.5)), 0.0966667, 1e-6);
  EXPECT_NEAR(b.Value(LogLoss(s, b.labels, b.predictions, b.weighted)), 0.7270958, 1e-6);
  EXPECT_NEAR(b.Value(CosineDistance(s, b.labels, b.predictions, 1, b.weighted)), 0.6, 1e-6);
}

TEST(LossesTest, CrossEntropiesGiveTensorFlowsNumbers) {
  const Batch b;
  const Output one_three = Constant(b.root, {1.0f, 3.0f});
  EXPECT_NEAR(b.Value(SoftmaxCrossEntropy(b.root, b.labels, b.predictions,
                                          LossOptions().weights(one_three), 0.1)),
              3.1810405, 1e-6);
  const Output classes = Constant(b.root, {1, 0});
  const Output columns = ExpandDims(b.root, classes, -1);
  const LossOptions of_rows = LossOptions().weights(ExpandDims(b.root, one_three, -1));
  EXPECT_NEAR(b.Value(SparseSoftmaxCrossEntropy(b.root, columns, b.predictions, of_rows)),
              1.5535190, 1e-6);
  // One dimension more is one batch of batches.
  const Output deep = SoftmaxCrossEntropy(b.root, ExpandDims(b.root, b.labels, 0),
                                          ExpandDims(b.root, b.predictions, 0));
  EXPECT_NEAR(b.Value(deep), b.Value(SoftmaxCrossEntropy(b.root, b.labels, b.predictions)), 1e-6);
}

TEST(LossesTest, Reductions) {
  const Batch b;
  const auto loss = [&](Reduction reduction) {
    return MeanSquaredError(b.root, b.labels, b.predictions,
                            LossOptions(b.weighted).reduction(reduction));
  };
  EXPECT_NEAR(b.Value(loss(Reduction::kSum)), 0.58, 1e-6);
  EXPECT_NEAR(b.Value(loss(Reduction::kSumOverBatchSize)), 0.0966667, 1e-6);
  EXPECT_NEAR(b.Value(loss(Reduction::kMean)), 0.0966667, 1e-6);
  const Tensor each = b.Run(loss(Reduction::kNone));
  EXPECT_EQ(each.shape(), Shape({2, 3}));
  EXPECT_NEAR(each.data<float>()[2], 0.32, 1e-6);
  EXPECT_EQ(each.data<float>()[3], 0);
}

TEST(LossesTest, CollectAndAddUp) {
  const Batch b;
  const Scope tower = b.root.NameScope("tower");
  const Output one = MeanSquaredError(b.root, b.labels, b.predictions);
  const Output two = AbsoluteDifference(tower, b.labels, b.predictions);
  HuberLoss(tower, b.labels, b.predictions, LossOptions().loss_collection(""));
  AddToCollection(b.root, GraphKeys::kRegularizationLosses, Constant(b.root, 4.0f));
  const std::vector<Output> all = GetLosses(b.root), of_tower = GetLosses(b.root, "tower/");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(SameOutput(all[0], one) && SameOutput(all[1], two));
  ASSERT_EQ(of_tower.size(), 1u);
  EXPECT_TRUE(SameOutput(of_tower[0], two));
  const float sum = b.Value(one) + b.Value(two);
  EXPECT_NEAR(b.Value(GetTotalLoss(b.root)), sum + 4, 1e-5);
  EXPECT_NEAR(b.Value(GetTotalLoss(b.root, /*add_regularization_losses=*/false)), sum, 1e-6);
  EXPECT_EQ(b.Value(GetRegularizationLoss(b.root)), 4);
}

TEST(LossesTest, GradientsFlow) {
  const Batch b;
  const Output loss = MeanSquaredError(b.root, b.labels, b.predictions, b.weighted);
  const auto gradients = Gradients(b.root, {loss}, {b.predictions});
  const Tensor got = b.Run(gradients[0]);
  // 2 * weight * difference over the three weights that are not zero.
  EXPECT_NEAR(got.data<float>()[1], 2 * 2 * -0.3 / 3, 1e-6);
  EXPECT_EQ(got.data<float>()[4], 0);
}

TEST(LossesTest, WeightsThatOnlyTheStepKnowsAreChecked) {
  const Scope root = Scope::NewRoot();
  const Output x = Placeholder(root, DType::kFloat, {-1, 3});
  const Output w = Placeholder(root, DType::kFloat, {-1, 1});
  const Output loss = MeanSquaredError(root, x, Zeros(root, {2, 3}), LossOptions().weights(w));
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const Tensor ones = *Tensor::Vector<float>({1, 1, 1, 1, 1, 1}).Reshaped({2, 3});
  const auto column = [](std::vector<float> values) {
    const int64_t rows = values.size();
    return *Tensor::Vector<float>(values).Reshaped({rows, 1});
  };
  const auto good = session.Run({{x, ones}, {w, column({1, 0})}}, {loss});
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)[0].scalar<float>(), 1);
  const auto bad = session.Run({{x, ones}, {w, column({1, 0, 1})}}, {loss});
  EXPECT_EQ(bad.status().code(), StatusCode::kInvalidArgument);
}

TEST(LossesTest, WhatDoesNotFitIsNamed) {
  const auto error_of = [](const std::function<void(const Batch&)>& build) {
    const Batch b;
    build(b);
    EXPECT_EQ(b.root.status().code(), StatusCode::kInvalidArgument);
    return std::string(b.root.status().message());
  };
  EXPECT_NE(error_of([](const Batch& b) {
              MeanSquaredError(b.root, Zeros(b.root, {2, 4}), b.predictions);
            }).find("mean_squared_error/': labels 'zeros:0' of [2,4] do not fit predictions"),
            std::string::npos);
  EXPECT_NE(
      error_of([](const Batch& b) {
        HingeLoss(b.root, b.labels, b.predictions, LossOptions().weights(Ones(b.root, {3, 1})));
      }).find("weights 'ones:0' of [3,1] do not fit"),
      std::string::npos);
  EXPECT_NE(error_of([](const Batch& b) {
              SparseSoftmaxCrossEntropy(b.root, Constant(b.root, 1), b.predictions);
            }).find("need one dimension more than labels"),
            std::string::npos);
}

}  // namespace
}  // namespace losses
}  // namespace frontend
}  // namespace warpbeam
