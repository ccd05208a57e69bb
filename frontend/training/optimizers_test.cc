// Three steps of every optimizer, with a sparse and a dense gradient, give TensorFlow's numbers.
#include <cmath>
#include <functional>
#include <memory>

#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/training/adadelta.h"
#include "frontend/training/adagrad.h"
#include "frontend/training/adam.h"
#include "frontend/training/ftrl.h"
#include "frontend/training/global_step.h"
#include "frontend/training/lamb.h"
#include "frontend/training/momentum.h"
#include "frontend/training/moving_average.h"
#include "frontend/training/optimizer.h"
#include "frontend/training/proximal_gradient_descent.h"
#include "frontend/training/rms_prop.h"
#include "graph/graph.h"
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

// An optimizer for a model whose step is given.
using MakeOptimizer = std::function<std::unique_ptr<Optimizer>(const Model&, const Variable&)>;

void ExpectAfterThreeSteps(const MakeOptimizer& make, const std::vector<float>& want,
                           const std::vector<std::string>& slots) {
  Model model;
  const Variable step = GetOrCreateGlobalStep(model.root);
  const std::unique_ptr<Optimizer> made = make(model, step);
  Optimizer& optimizer = *made;
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

// The same for an optimizer that needs nothing of the model.
template <typename Made>
void ExpectAfterThreeSteps(const Made& optimizer, const std::vector<float>& want,
                           const std::vector<std::string>& slots) {
  ExpectAfterThreeSteps(MakeOptimizer([&](const Model&, const Variable&) {
                          return std::make_unique<Made>(optimizer);
                        }),
                        want, slots);
}

TEST(GradientDescentOptimizerTest, MovesRowsThatOccurTwiceTwice) {
  const GradientDescentOptimizer optimizer(0.1);
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

// TensorFlow's numbers of w, whose gradient is sparse. Those of b, which decays while TensorFlow
// computes its dense gradient, follow from the formulas, in double, with the gradient of before.
TEST(AdamWOptimizerTest, DecaysBesideTheGradient) {
  AdamWOptimizer optimizer(0.01, 0.1, AdamOptions().beta1(0.8).beta2(0.9).epsilon(1e-3));
  ExpectAfterThreeSteps(
      optimizer, {0.67544019f, -1.6445355f, 3, 4, -4.5549288f, 5.5251694f, 0.67562671f, -2.61458f},
      {"m", "v"});
}

TEST(AdamWOptimizerTest, DecaysTheVariablesOfTheList) {
  const auto make = [](const Model& model, const Variable&) {
    auto optimizer = std::make_unique<AdamWOptimizer>(
        0.01, 0.1, AdamOptions().beta1(0.8).beta2(0.9).epsilon(1e-3));
    optimizer->set_decay_variables({model.b});
    return optimizer;
  };
  // w has Adam's numbers, b AdamW's.
  ExpectAfterThreeSteps(
      MakeOptimizer(make),
      {0.70190942f, -1.7007772f, 3, 4, -4.7003102f, 5.7002554f, 0.67562671f, -2.61458f},
      {"m", "v"});
}

// By the formulas of the paper, computed in double.
TEST(LambOptimizerTest, GivesThePapersNumbers) {
  LambOptimizer optimizer(0.1,
                          LambOptions().beta1(0.8).beta2(0.9).epsilon(1e-3).weight_decay(0.01));
  ExpectAfterThreeSteps(optimizer,
                        {-0.21050488f, -0.68025983f, 2.9603188f, 3.9470917f, -3.6181671f,
                         4.6034465f, 0.39751533f, -2.3758607f},
                        {"m", "v"});
}

TEST(LambOptimizerTest, MovesFromZero) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), {0.0f, 0.0f});
  LambOptimizer optimizer(0.5);
  const Operation train = optimizer.ApplyGradients(root, {{Constant(root, {3.0f, 0.0f}), w}});
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  const auto run = session.Run({train});
  ASSERT_TRUE(run.ok()) << run.status();
  const auto got = session.Run({w.read()});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_NEAR((*got)[0].data<float>()[0], -0.5f, 1e-5);
  EXPECT_EQ((*got)[0].data<float>()[1], 0.0f);
}

TEST(AdagradDAOptimizerTest, GivesTensorFlowsNumbers) {
  const auto make = [](const Model&, const Variable& step) {
    const AdagradDAOptions options =
        AdagradDAOptions().initial_gradient_squared_accumulator_value(0.2).l1(0.01).l2(0.02);
    return std::make_unique<AdagradDAOptimizer>(0.1, step, options);
  };
  ExpectAfterThreeSteps(
      MakeOptimizer(make),
      {-0.079185829f, 0.089500315f, 3, 4, 0.095561378f, -0.09631072f, -0.077361897f, 0.092536487f},
      {"gradient_accumulator", "gradient_squared_accumulator"});
}

TEST(AdadeltaOptimizerTest, GivesTensorFlowsNumbers) {
  ExpectAfterThreeSteps(
      AdadeltaOptimizer(1.0, 0.9, 1e-2),
      {0.2433579f, -1.1242727f, 3, 4, -4.0645747f, 5.0583625f, 0.24897595f, -2.0907207f},
      {"accum", "accum_update"});
}

TEST(FtrlOptimizerTest, GivesTensorFlowsNumbers) {
  ExpectAfterThreeSteps(
      FtrlOptimizer(0.1, FtrlOptions().l1(0.01).l2(0.02)),
      {0.70675725f, -1.6984388f, 3, 4, -4.6151648f, 5.6145015f, 0.63625103f, -2.6179881f},
      {"accum", "linear"});
  const FtrlOptions options = FtrlOptions()
                                  .learning_rate_power(-0.4)
                                  .initial_accumulator_value(0.2)
                                  .l1(0.01)
                                  .l2(0.02)
                                  .l2_shrinkage(0.03)
                                  .beta(0.1);
  ExpectAfterThreeSteps(
      FtrlOptimizer(0.5, options),
      {0.020450814f, -0.44186747f, 3, 4, -2.805335f, 3.6815884f, 0.023943184f, -1.1620638f},
      {"accum", "linear"});
}

TEST(ProximalOptimizersTest, GiveTensorFlowsNumbers) {
  ExpectAfterThreeSteps(
      ProximalGradientDescentOptimizer(0.1, 0.2, 0.3),
      {0.16035296f, -0.35802358f, 3, 4, -2.29655f, 2.7651029f, 0.4223398f, -1.359445f}, {});
  ExpectAfterThreeSteps(
      ProximalAdagradOptimizer(0.1, 0.2, 0.3, 0.4),
      {0.74558717f, -1.7466097f, 3, 4, -4.7224917f, 5.7230196f, 0.71407062f, -2.7205176f},
      {"accumulator"});
}

TEST(OptimizersTest, ValuesThatTensorFlowRefusesAreErrors) {
  const auto code_with = [](Optimizer&& optimizer) {
    Model model;
    optimizer.Minimize(model.root, model.loss);
    return model.root.status().code();
  };
  const auto invalid = StatusCode::kInvalidArgument;
  EXPECT_EQ(code_with(AdagradOptimizer(0.1, 0)), invalid);
  EXPECT_EQ(code_with(ProximalAdagradOptimizer(0.1, -1)), invalid);
  EXPECT_EQ(code_with(FtrlOptimizer(0.1, FtrlOptions().learning_rate_power(1))), invalid);
  EXPECT_EQ(code_with(FtrlOptimizer(0.1, FtrlOptions().l1(-1))), invalid);
  EXPECT_EQ(code_with(FtrlOptimizer(0.1, FtrlOptions().initial_accumulator_value(0))),
            StatusCode::kOk);
}

TEST(OptimizersTest, UpdatesLockWhereAsked) {
  for (const bool locks : {false, true}) {
    Model model;
    MomentumOptimizer optimizer(0.1, 0.9);
    optimizer.set_use_locking(locks);
    optimizer.Minimize(model.root, model.loss);
    ASSERT_TRUE(model.root.ok()) << model.root.status();
    int updates = 0;
    for (const Node& node : model.root.graph()->nodes()) {
      if (node.op_name() != "ApplyMomentum" && node.op_name() != "SparseApplyMomentum") continue;
      ++updates;
      EXPECT_EQ(node.attrs().GetOr<bool>("use_locking", !locks), locks);
    }
    EXPECT_EQ(updates, 2);
  }
}

TEST(OptimizersTest, SlotsAreMadeOnce) {
  Model model;
  AdamOptimizer optimizer(0.1);
  const std::vector<GradientAndVariable> gradients =
      optimizer.ComputeGradients(model.root, model.loss);
  optimizer.ApplyGradients(model.root, gradients);
  const size_t made = GlobalVariables(model.root).size();
  EXPECT_EQ(made, 2u + 4u + 2u);  // variables, slots, powers of the betas
  EXPECT_EQ(optimizer.GetSlotNames(), (std::vector<std::string>{"m", "v"}));
  const Variable m = optimizer.GetSlot(model.w, "m");
  optimizer.ApplyGradients(model.root, gradients);
  EXPECT_EQ(GlobalVariables(model.root).size(), made);
  EXPECT_TRUE(SameVariable(optimizer.GetSlot(model.w, "m"), m));
  EXPECT_TRUE(model.root.ok()) << model.root.status();
}

std::vector<std::string> NamesOf(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

TEST(OptimizersTest, VariablesAreAllThatItKeeps) {
  Model model;
  AdamOptimizer adam(0.1);
  EXPECT_TRUE(adam.Variables().empty());
  adam.Minimize(model.root, model.loss);
  EXPECT_EQ(NamesOf(adam.Variables()),
            (std::vector<std::string>{"b/Adam", "b/Adam_1", "beta1_power", "beta2_power", "w/Adam",
                                      "w/Adam_1"}));
  GradientDescentOptimizer plain(0.1);
  plain.Minimize(model.root, model.loss);
  EXPECT_TRUE(plain.Variables().empty());
  ASSERT_TRUE(model.root.ok()) << model.root.status();
}

TEST(MovingAverages, AreRestoredInThePlaceOfTheirVariables) {
  Model model;
  const Variable step = GetOrCreateGlobalStep(model.root);
  ExponentialMovingAverage average(0.9, Output(), "Average");
  EXPECT_EQ(average.name(), "Average");
  average.Apply(model.root, {model.w});
  const auto names = [](const std::map<std::string, Variable>& restored) {
    std::vector<std::string> result;
    for (const auto& entry : restored) result.push_back(entry.first + "=" + entry.second.name());
    return result;
  };
  EXPECT_EQ(names(average.VariablesToRestore(model.root)),
            (std::vector<std::string>{"b/Average=b", "global_step=global_step", "w/Average=w"}));
  EXPECT_EQ(names(average.VariablesToRestore(model.root, {model.w})),
            (std::vector<std::string>{"b=b", "global_step=global_step", "w/Average=w"}));
  ASSERT_TRUE(model.root.ok()) << model.root.status();
}

TEST(OptimizersTest, WithoutAGradientThereIsAnError) {
  Model model;
  AdamOptimizer optimizer(0.1);
  optimizer.ApplyGradients(model.root, {{Gradient(), model.w}});
  EXPECT_EQ(model.root.status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
