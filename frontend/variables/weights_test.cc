// How weights begin and what large ones cost: initializers that scale with the shape, penalties.
#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/regularization.h"
#include "frontend/variables/variable_scope.h"
#include "frontend/variables/variance_scaling.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

std::vector<double> Initial(const Shape& shape, const Initializer& initializer) {
  const Scope root = Scope::NewRoot();
  const Variable w = GetVariable(root, "w", shape, initializer);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  const auto made = session.Run({init});
  EXPECT_TRUE(made.ok()) << made.status();
  const auto run = session.Run({w.read()});
  EXPECT_TRUE(run.ok()) << run.status();
  if (!run.ok()) return {};
  const float* data = (*run)[0].data<float>();
  return std::vector<double>(data, data + shape.num_elements());
}

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};

Moments MomentsOf(const std::vector<double>& values) {
  Moments moments;
  const double n = static_cast<double>(values.size());
  for (double x : values) moments.mean += x / n;
  for (double x : values) {
    moments.deviation += (x - moments.mean) * (x - moments.mean) / n;
    moments.largest = std::max(moments.largest, std::abs(x));
  }
  moments.deviation = std::sqrt(moments.deviation);
  return moments;
}

TEST(VarianceScalingTest, TheVarianceIsThatOfTheFan) {
  const Shape shape({200, 50});
  const struct {
    FanMode mode;
    double fan;
  } modes[] = {{FanMode::kIn, 200}, {FanMode::kOut, 50}, {FanMode::kAverage, 125}};
  for (const auto& mode : modes) {
    for (Spread spread : {Spread::kTruncatedNormal, Spread::kUntruncatedNormal, Spread::kUniform}) {
      const double deviation = std::sqrt(3 / mode.fan);
      const Moments got =
          MomentsOf(Initial(shape, VarianceScalingInitializer(3, mode.mode, spread, 5)));
      EXPECT_NEAR(got.mean, 0, 0.05 * deviation);
      EXPECT_NEAR(got.deviation, deviation, 0.03 * deviation);
      EXPECT_LE(got.largest, deviation * (spread == Spread::kUniform ? std::sqrt(3) * 1.0001
                                          : spread == Spread::kTruncatedNormal ? 2.28
                                                                               : 6));
      EXPECT_GT(got.largest, deviation * (spread == Spread::kUntruncatedNormal ? 2.5 : 1.6));
    }
  }
}

TEST(VarianceScalingTest, TheNamedOnesAreSpecialCases) {
  const Shape shape({3, 3, 16, 40});  // fans 144 and 360
  const auto deviation = [&](const Initializer& initializer) {
    return MomentsOf(Initial(shape, initializer)).deviation;
  };
  EXPECT_NEAR(deviation(GlorotNormalInitializer(1)), std::sqrt(1 / 252.0), 0.003);
  EXPECT_NEAR(deviation(HeNormalInitializer(1)), std::sqrt(2 / 144.0), 0.005);
  EXPECT_NEAR(deviation(HeUniformInitializer(1)), std::sqrt(2 / 144.0), 0.005);
  EXPECT_NEAR(deviation(LecunNormalInitializer(1)), std::sqrt(1 / 144.0), 0.004);
  EXPECT_NEAR(deviation(LecunUniformInitializer(1)), std::sqrt(1 / 144.0), 0.004);
  const double limit = 1.5 * std::sqrt(3 / 144.0);
  const Moments unit = MomentsOf(Initial(shape, UniformUnitScalingInitializer(1.5, 1)));
  EXPECT_LE(unit.largest, limit * 1.0001);
  EXPECT_GT(unit.largest, limit * 0.99);
}

TEST(IdentityInitializerTest, IsOnTheDiagonal) {
  EXPECT_EQ(Initial({2, 2}, IdentityInitializer()), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(Initial({2, 3}, IdentityInitializer(2)), (std::vector<double>{2, 0, 0, 0, 2, 0}));
  EXPECT_EQ(Initial({3, 2}, IdentityInitializer(2)), (std::vector<double>{2, 0, 0, 2, 0, 0}));
}

TEST(OrthogonalInitializerTest, RowsOrColumnsAreOrthonormal) {
  for (const Shape& shape : {Shape({6, 4}), Shape({4, 6}), Shape({2, 3, 4})}) {
    const std::vector<double> w = Initial(shape, OrthogonalInitializer(2, 5));
    const int64_t cols = shape.dim(shape.rank() - 1), rows = shape.num_elements() / cols;
    const bool by_row = rows < cols;
    const int64_t count = std::min(rows, cols), length = std::max(rows, cols);
    for (int64_t a = 0; a < count; ++a) {
      for (int64_t b = 0; b < count; ++b) {
        double sum = 0;
        for (int64_t i = 0; i < length; ++i) {
          sum += by_row ? w[a * cols + i] * w[b * cols + i] : w[i * cols + a] * w[i * cols + b];
        }
        EXPECT_NEAR(sum, a == b ? 4 : 0, 1e-5) << shape.ToString() << " " << a << " " << b;
      }
    }
  }
}

Status StatusWith(const Shape& shape, const Initializer& initializer) {
  const Scope root = Scope::NewRoot();
  GetVariable(root, "w", shape, initializer);
  return root.status();
}

TEST(InitializersTest, WhatDoesNotFitIsAnError) {
  const auto invalid = StatusCode::kInvalidArgument;
  EXPECT_EQ(StatusWith({2}, IdentityInitializer()).code(), invalid);
  EXPECT_EQ(StatusWith({2}, OrthogonalInitializer()).code(), invalid);
  EXPECT_EQ(StatusWith({2}, VarianceScalingInitializer(0)).code(), invalid);
  const Tensor flat = Tensor::Vector<float>({1, 2, 3, 4});
  EXPECT_EQ(StatusWith({2, 2}, ConstantInitializer(flat, /*verify_shape=*/true)).code(), invalid);
  EXPECT_EQ(StatusWith({3}, ConstantInitializer(flat, /*verify_shape=*/false)).code(), invalid);
  EXPECT_EQ(Initial({2, 2}, ConstantInitializer(flat, /*verify_shape=*/false)),
            (std::vector<double>{1, 2, 3, 4}));
}

float PenaltyOf(const Regularizer& regularizer) {
  const Scope root = Scope::NewRoot();
  const Output w = Constant(root, {1.0f, -2.0f, 3.0f});
  ClientSession session(root);
  const auto run = session.Run({regularizer(root, w)});
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? (*run)[0].scalar<float>() : 0;
}

TEST(RegularizationTest, PenaltiesAreSumsOfTheWeights) {
  EXPECT_FLOAT_EQ(PenaltyOf(L1Regularizer(0.5)), 3);
  EXPECT_FLOAT_EQ(PenaltyOf(L1L2Regularizer(0.5, 2)), 17);
  EXPECT_FLOAT_EQ(PenaltyOf(L1L2Regularizer(0, 2)), 14);
  EXPECT_FLOAT_EQ(PenaltyOf(L1L2Regularizer(0.5, 0)), 3);
  const Scope root = Scope::NewRoot();
  EXPECT_FALSE(L1L2Regularizer(0, 0)(root, Constant(root, {1.0f})).valid());
  EXPECT_TRUE(root.ok());
  L1Regularizer(-1)(root, Constant(root, {1.0f}));
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
}

TEST(RegularizationTest, AppliesToTheGivenWeightsOrTheCollection) {
  const Scope root = Scope::NewRoot();
  const Output a = Constant(root, {1.0f, -2.0f}), b = Constant(root, {3.0f});
  const Output given = ApplyRegularization(root, L1Regularizer(1), {a, b});
  AddToCollection(root, kWeightsCollection, b);
  const Output collected = ApplyRegularization(root, L1Regularizer(2));
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  const auto run = session.Run({given, collected});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_FLOAT_EQ((*run)[0].scalar<float>(), 6);
  EXPECT_FLOAT_EQ((*run)[1].scalar<float>(), 6);
  const std::vector<Output> losses = GetCollection(root, GraphKeys::kRegularizationLosses);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_TRUE(SameOutput(losses[0], given));
  EXPECT_TRUE(SameOutput(losses[1], collected));
  const Scope none = Scope::NewRoot();
  EXPECT_FALSE(ApplyRegularization(none, L1Regularizer(1)).valid());
  EXPECT_EQ(none.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
