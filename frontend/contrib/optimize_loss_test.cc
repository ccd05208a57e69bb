#include "frontend/contrib/optimize_loss.h"

#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/global_step.h"
#include "frontend/training/learning_rate.h"
#include "frontend/variables/updates.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "graph/types/errors.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace layers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// loss = w * w, whose gradient is 6 at w = 3.
struct Model {
  Model()
      : w(GetVariable(root, "w", {}, ConstantInitializer(3))),
        step(train::CreateGlobalStep(root)),
        loss(Multiply(root, w, w)) {}

  // w after a step that gives the loss before it.
  float After(const Output& trained) {
    EXPECT_TRUE(root.ok()) << root.status();
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok()) << root.status();
    const auto run = session.Run({trained});
    EXPECT_TRUE(run.ok()) << run.status();
    if (!run.ok()) return 0;
    EXPECT_EQ((*run)[0].scalar<float>(), 9);
    const auto now = session.Run({w, step});
    EXPECT_TRUE(now.ok()) << now.status();
    steps = now.ok() ? (*now)[1].scalar<int64_t>() : -1;
    return now.ok() ? (*now)[0].scalar<float>() : 0;
  }

  const Scope root = Scope::NewRoot();
  Variable w, step;
  Output loss;
  int64_t steps = -1;
};

TEST(OptimizeLossTest, MakesAStep) {
  Model model;
  const Output trained = OptimizeLoss(model.root, model.loss, model.step, 0.1, "SGD");
  EXPECT_FLOAT_EQ(model.After(trained), 2.4f);
  EXPECT_EQ(model.steps, 1);
  EXPECT_TRUE(model.root.HasOperation("OptimizeLoss/learning_rate"));
  EXPECT_TRUE(model.root.HasOperation("OptimizeLoss/train"));
  EXPECT_TRUE(model.root.HasOperation("OptimizeLoss/loss"));
  EXPECT_TRUE(model.root.HasOperation("OptimizeLoss/global_norm/gradient_norm"));
  EXPECT_EQ(TrainableVariables(model.root).size(), 1u);
}

TEST(OptimizeLossTest, GradientsAreMultipliedThenClipped) {
  Model model;
  OptimizeLossOptions options;
  options.gradient_multipliers({{model.w, 0.5}}).increment_global_step(false);
  EXPECT_FLOAT_EQ(
      model.After(OptimizeLoss(model.root, model.loss, model.step, 0.1, "SGD", options)), 2.7f);
  EXPECT_EQ(model.steps, 0);
  Model clipped;
  options = OptimizeLossOptions();
  options.clip_gradients(2).gradient_multipliers({{clipped.w, 0.5}});
  options.summaries({"gradients", "gradient_norm"});
  EXPECT_FLOAT_EQ(
      clipped.After(OptimizeLoss(clipped.root, clipped.loss, clipped.step, 0.1, "SGD", options)),
      2.8f);
  EXPECT_TRUE(clipped.root.HasOperation("OptimizeLoss/gradient_norm/w"));
  EXPECT_FALSE(clipped.root.HasOperation("OptimizeLoss/loss"));
}

TEST(OptimizeLossTest, RatesDecay) {
  Model model;
  OptimizeLossOptions options;
  options.learning_rate_decay_fn([](const Scope& s, const Output& rate, const Variable& step) {
    return Divide(s, rate, Add(s, Cast(s, step, DType::kFloat), 2));
  });
  EXPECT_FLOAT_EQ(
      model.After(OptimizeLoss(model.root, model.loss, model.step, 0.1, "SGD", options)), 2.7f);
  EXPECT_TRUE(model.root.HasOperation("OptimizeLoss/learning_rate_1"));
}

TEST(OptimizeLossTest, UpdatesComeFirst) {
  Model model;
  const Variable count(model.root.Named("count"), 0.0f, VariableOptions().trainable(false));
  AddToCollection(model.root, GraphKeys::kUpdateOps, AssignAdd(model.root, count, 1).op());
  const Output trained =
      OptimizeLoss(model.root, model.loss, model.step, Constant(model.root, 0.1f), "SGD");
  const Operation init = GlobalVariablesInitializer(model.root);
  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({init}).ok()) << model.root.status();
  ASSERT_TRUE(session.Run({trained}).ok());
  const auto counted = session.Run({count});
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ((*counted)[0].scalar<float>(), 1);
}

TEST(OptimizeLossTest, OptimizersByName) {
  for (const char* name : {"Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp"}) {
    Model model;
    const float w = model.After(OptimizeLoss(model.root, model.loss, model.step, 0.1, name));
    EXPECT_LT(w, 3) << name;
    EXPECT_GT(w, 2) << name;
  }
}

TEST(OptimizeLossTest, NoiseIsAdded) {
  Model model;
  OptimizeLossOptions options;
  options.gradient_noise_scale(0.5);
  const float w =
      model.After(OptimizeLoss(model.root, model.loss, model.step, 0.1, "SGD", options));
  EXPECT_NE(w, 2.4f);
  // The noise is cut off at two deviations.
  EXPECT_NEAR(w, 2.4, 0.1001);
}

TEST(OptimizeLossTest, WhatIsWrongIsSaid) {
  const auto error = [](const Input& rate, const std::string& optimizer,
                        const OptimizeLossOptions& options) {
    Model model;
    EXPECT_FALSE(
        OptimizeLoss(model.root, model.loss, Variable(), rate, optimizer, options).valid());
    return std::string(model.root.status().message());
  };
  EXPECT_THAT(error(0.1, "Sgd", OptimizeLossOptions()), HasSubstr("no optimizer 'Sgd'"));
  EXPECT_THAT(error(-0.1, "SGD", OptimizeLossOptions()), HasSubstr("not negative"));
  EXPECT_THAT(error({0.1f, 0.2f}, "SGD", OptimizeLossOptions()), HasSubstr("must be a number"));
  OptimizeLossOptions decays;
  decays.learning_rate_decay_fn(
      [](const Scope&, const Output& rate, const Variable&) { return rate; });
  EXPECT_THAT(error(0.1, "SGD", decays), HasSubstr("needs a global step"));
  Model model;
  EXPECT_FALSE(OptimizeLoss(model.root, model.loss, model.step, 0.1, OptimizerFunction()).valid());
  EXPECT_TRUE(IsInvalidArgument(model.root.status()));
  Model wide;
  const Output both = Stack(wide.root, {wide.loss, wide.loss});
  EXPECT_FALSE(OptimizeLoss(wide.root, both, wide.step, 0.1, "SGD").valid());
  EXPECT_THAT(std::string(wide.root.status().message()), HasSubstr("must be a scalar"));
}

}  // namespace
}  // namespace layers
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
