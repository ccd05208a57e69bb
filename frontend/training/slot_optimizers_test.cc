// Three steps of every optimizer, with a sparse and a dense gradient, give TensorFlow's numbers.
#include "frontend/training/slot_optimizers.h"

#include <cmath>

#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/global_step.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// sum of the squares of rows 0, 2 and 0 of w, and of b: one row twice, one row never.
struct Model {
  Model()
      : w(root.Named("w"), Constant(root.Named("w0"), std::vector<float>{1, -2, 3, 4, -5, 6},
                                    DType::kFloat, {3, 2})),
        b(root.Named("b"), {1.0f, -3.0f}) {
    const Output rows = BuildOutput(root, "GatherV2", {w, Input({0, 2, 0}), 0});
    loss = Add(root, ReduceSum(root, Multiply(root, rows, rows)),
               ReduceSum(root, Multiply(root, b, b)));
  }
  const Scope root = Scope::NewRoot();
  Variable w, b;
  Output loss;
};

void ExpectAfterThreeSteps(Optimizer& optimizer, const std::vector<float>& want,
                           const std::vector<std::string>& slots) {
  Model model;
  const Variable step = GetOrCreateGlobalStep(model.root);
  const Operation train = optimizer.Minimize(model.root, model.loss, step);
  const Operation init = GlobalVariablesInitializer(model.root);
  ASSERT_TRUE(model.root.ok()) << model.root.status();
  for (const std::string& slot : slots) {
    const Variable variable = optimizer.GetSlot(model.w, slot);
    ASSERT_TRUE(variable.valid()) << slot;
    EXPECT_FALSE(variable.trainable());
    EXPECT_EQ(variable.shape(), model.w.shape());
    EXPECT_EQ(variable.name().find("w/" + optimizer.name()), 0u) << variable.name();
  }
  EXPECT_FALSE(optimizer.GetSlot(model.w, "no such slot").valid());
  EXPECT_EQ(TrainableVariables(model.root).size(), 2u);

  ClientSession session(model.root);
  ASSERT_TRUE(session.Run({init}).ok());
  for (int i = 0; i < 3; ++i) {
    const auto run = session.Run({train});
    ASSERT_TRUE(run.ok()) << run.status();
  }
  const auto got = session.Run({model.w.read(), model.b.read(), step.read()});
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want.size(); ++i) {
    const float value = i < 6 ? (*got)[0].data<float>()[i] : (*got)[1].data<float>()[i - 6];
    EXPECT_NEAR(value, want[i], 2e-6 * (1 + std::abs(want[i]))) << i;
  }
  EXPECT_EQ((*got)[2].scalar<int64_t>(), 3);
}

TEST(GradientDescentOptimizerTest, MovesRowsThatOccurTwiceTwice) {
  GradientDescentOptimizer optimizer(0.1);
  // Row 0 counts twice: 0.6 of it stay each time, of the others 0.8.
  ExpectAfterThreeSteps(optimizer, {0.216f, -0.432f, 3, 4, -2.56f, 3.072f, 0.512f, -1.536f}, {});
}

TEST(AdamOptimizerTest, GivesTensorFlowsNumbers) {
  AdamOptimizer optimizer(0.1, AdamOptions().beta1(0.8).beta2(0.9).epsilon(1e-3));
  ExpectAfterThreeSteps(
      optimizer,
      {0.70190942f, -1.7007772f, 3, 4, -4.7003102f, 5.7002554f, 0.70209932f, -2.7005448f},
      {"m", "v"});
}

TEST(MomentumOptimizerTest, GivesTensorFlowsNumbers) {
  MomentumOptimizer plain(0.1, 0.9);
  ExpectAfterThreeSteps(
      plain,
      {-0.53999996f, 1.0799999f, 3, 4, -0.30999994f, 0.37200022f, 0.062000006f, -0.18600011f},
      {"momentum"});
  MomentumOptimizer nesterov(0.1, 0.9, /*use_nesterov=*/true);
  ExpectAfterThreeSteps(
      nesterov,
      {-0.43329594f, 0.86659187f, 3, 4, 0.54175985f, -0.65011168f, -0.10835198f, 0.3250559f},
      {"momentum"});
}

TEST(RMSPropOptimizerTest, GivesTensorFlowsNumbers) {
  const RMSPropOptions options = RMSPropOptions().decay(0.8).momentum(0.5).epsilon(1e-3);
  RMSPropOptimizer plain(0.1, options);
  ExpectAfterThreeSteps(
      plain, {0.34227744f, -1.2637792f, 3, 4, -4.2379684f, 5.232758f, 0.4424693f, -2.2638059f},
      {"rms", "momentum"});
  RMSPropOptimizer centered(0.1, RMSPropOptions(options).centered(true));
  ExpectAfterThreeSteps(
      centered, {0.25110972f, -1.1275384f, 3, 4, -4.0854626f, 5.0771604f, 0.3855733f, -2.1264153f},
      {"rms", "mg", "momentum"});
}

TEST(AdagradOptimizerTest, GivesTensorFlowsNumbers) {
  AdagradOptimizer optimizer(0.1);
  ExpectAfterThreeSteps(
      optimizer,
      {0.78092223f, -1.7759407f, 3, 4, -4.7732954f, 5.7729912f, 0.78229922f, -2.7745719f},
      {"accumulator"});
}

TEST(SlotOptimizersTest, SlotsAreMadeOnce) {
  Model model;
  AdamOptimizer optimizer(0.1);
  const std::vector<GradientAndVariable> gradients =
      optimizer.ComputeGradients(model.root, model.loss);
  optimizer.ApplyGradients(model.root, gradients);
  const size_t made = GlobalVariables(model.root).size();
  EXPECT_EQ(made, 2u + 4u + 2u);  // variables, slots, powers of the betas
  const Variable m = optimizer.GetSlot(model.w, "m");
  optimizer.ApplyGradients(model.root, gradients);
  EXPECT_EQ(GlobalVariables(model.root).size(), made);
  EXPECT_EQ(optimizer.GetSlot(model.w, "m"), m);
  EXPECT_TRUE(model.root.ok()) << model.root.status();
}

TEST(SlotOptimizersTest, WithoutAGradientThereIsAnError) {
  Model model;
  AdamOptimizer optimizer(0.1);
  optimizer.ApplyGradients(model.root, {{Gradient(), model.w}});
  EXPECT_EQ(model.root.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
