// contrib's layers have contrib's names, defaults and numbers; lazy Adam leaves rows alone.
#include "frontend/contrib/layers.h"

#include <algorithm>
#include <cmath>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/contrib/lazy_adam.h"
#include "frontend/control.h"
#include "frontend/math.h"
#include "frontend/variables/updates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace contrib {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> NamesOf(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

// What `fetched` is after the variables have been initialised.
std::vector<float> Values(const Scope& root, const Output& fetched) {
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  const auto ready = session.Run({init});
  EXPECT_TRUE(ready.ok()) << ready.status();
  const auto got = session.Run({fetched});
  EXPECT_TRUE(got.ok()) << got.status();
  if (!got.ok()) return {};
  const float* data = (*got)[0].data<float>();
  return std::vector<float>(data, data + (*got)[0].num_elements());
}

TEST(ContribLayersTest, NamesAreContribs) {
  const Scope root = Scope::NewRoot();
  const Output images = Placeholder(root, DType::kFloat, {-1, 8, 8, 3});
  Output net = layers::Conv2D(root, images, 4, 3);
  EXPECT_EQ(net.op().name(), "Conv/Relu");
  EXPECT_EQ(net.shape(), PartialShape({-1, 8, 8, 4}));
  net = layers::MaxPool2D(root, net, 2);
  EXPECT_EQ(net.op().name(), "MaxPool2D/MaxPool");
  net = layers::AvgPool2D(root, net, 2, 1, "SAME");
  EXPECT_EQ(net.op().name(), "AvgPool2D/AvgPool");
  net = layers::Conv2D(root, net, 5, 3, layers::LayerOptions().padding("VALID").stride(2));
  EXPECT_EQ(net.shape(), PartialShape({-1, 1, 1, 5}));
  net = layers::Flatten(root, net);
  EXPECT_EQ(net.op().name(), "Flatten/flatten/Reshape");
  net = layers::FullyConnected(root, net, 7);
  EXPECT_EQ(net.op().name(), "fully_connected/Relu");
  net = layers::Dropout(root, net, 0.8);
  EXPECT_EQ(net.op().name().find("Dropout/dropout/"), 0u) << net.op().name();
  const Scope logits = root.Named("logits");
  net = layers::FullyConnected(logits, net, 2, layers::LayerOptions().activation_fn(nullptr));
  EXPECT_EQ(net.op().name(), "logits/BiasAdd");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_THAT(NamesOf(TrainableVariables(root)),
              ElementsAre("Conv/weights", "Conv/biases", "Conv_1/weights", "Conv_1/biases",
                          "fully_connected/weights", "fully_connected/biases", "logits/weights",
                          "logits/biases"));
  EXPECT_EQ(ModelVariables(root).size(), 8u);
}

TEST(ContribLayersTest, FullyConnectedComputes) {
  const Scope root = Scope::NewRoot();
  layers::LayerOptions options;
  options.weights_initializer(ConstantInitializer({1, -1, 2, 1}))
      .biases_initializer(ConstantInitializer(0.5))
      .weights_regularizer(layers::L2Regularizer(0.1));
  const Output x = Constant(root, std::vector<float>{1, 2, -1, 1}, DType::kFloat, {2, 2});
  const Output y = layers::FullyConnected(root.Named("fc"), x, 2, options);
  // The same weights again.
  const Output again = layers::FullyConnected(root.Named("fc"), x, 2, options.reuse(true));
  EXPECT_EQ(GetCollection(root, GraphKeys::kRegularizationLosses).size(), 1u);
  EXPECT_THAT(Values(root, y), ElementsAre(5.5f, 1.5f, 1.5f, 2.5f));
  EXPECT_THAT(Values(root, again), ElementsAre(5.5f, 1.5f, 1.5f, 2.5f));
  EXPECT_EQ(TrainableVariables(root).size(), 2u);
}

TEST(ContribLayersTest, ANormalizerTakesThePlaceOfBiases) {
  const Scope root = Scope::NewRoot();
  layers::LayerOptions options;
  options.normalizer_fn([](const Scope& s, const Output& x) { return layers::BatchNorm(s, x); });
  const Output x = Placeholder(root, DType::kFloat, {-1, 3});
  const Output y = layers::FullyConnected(root, x, 2, options);
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(y.op().name(), "fully_connected/Relu");
  EXPECT_EQ(y.shape(), PartialShape({-1, 2}));
  EXPECT_THAT(NamesOf(TrainableVariables(root)),
              ElementsAre("fully_connected/weights", "fully_connected/BatchNorm/beta"));
}

TEST(ContribLayersTest, BatchNormMovesAsTheFusedOperation) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, std::vector<float>{1, 10, 3, 30, 5, 80}, DType::kFloat, {3, 2});
  layers::BatchNormOptions options;
  options.decay(0.5).scale(true).epsilon(0.01).activation_fn(nn::Relu);
  const Output y = layers::BatchNorm(root, x, true, options);
  EXPECT_EQ(y.op().name(), "BatchNorm/Relu");
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_THAT(NamesOf(ModelVariables(root)),
              ElementsAre("BatchNorm/gamma", "BatchNorm/beta", "BatchNorm/moving_mean",
                          "BatchNorm/moving_variance"));
  const std::vector<Variable> all = ModelVariables(root);
  const auto updates = ::warpbeam::frontend::layers::UpdateOps(root);
  ASSERT_EQ(updates.size(), 2u);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  const auto normalized = session.Run({y, updates[0], updates[1]});
  ASSERT_TRUE(normalized.ok()) << normalized.status();
  // (5 - 3) / sqrt(8 / 3 + 0.01) of the first column.
  EXPECT_NEAR((*normalized)[0].data<float>()[4], 2 / std::sqrt(8.0 / 3 + 0.01), 1e-5);
  EXPECT_EQ((*normalized)[0].data<float>()[0], 0);
  const auto moved = session.Run({all[2].read(), all[3].read()});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_FLOAT_EQ((*moved)[0].data<float>()[0], 1.5f);
  EXPECT_FLOAT_EQ((*moved)[0].data<float>()[1], 20);
  // Half of the old 1 and half of a sample's variance, 4 and 1300.
  EXPECT_FLOAT_EQ((*moved)[1].data<float>()[0], 2.5f);
  EXPECT_FLOAT_EQ((*moved)[1].data<float>()[1], 650.5f);
}

// As contrib's own tests name them.
TEST(ContribLayersTest, PenaltiesAreCalledAsThoseOfTheCore) {
  const Scope root = Scope::NewRoot();
  layers::LayerOptions options;
  options.weights_regularizer(layers::L2Regularizer(0.1));
  options.biases_regularizer(layers::L2Regularizer(0.1));
  layers::Conv2D(root, Placeholder(root, DType::kFloat, {-1, 8, 8, 3}), 4, 3, options);
  ASSERT_TRUE(root.ok()) << root.status();
  const std::vector<Output> losses = GetCollection(root, GraphKeys::kRegularizationLosses);
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].op().name(), "Conv/kernel/Regularizer/l2_regularizer");
  EXPECT_EQ(losses[1].op().name(), "Conv/bias/Regularizer/l2_regularizer");
  EXPECT_THAT(losses[0].op().colocation_groups(), ElementsAre("loc:@Conv/weights"));
}

TEST(ContribLayersTest, BatchNormMovesWithItsOutputs) {
  const Scope root = Scope::NewRoot();
  const Output x = Constant(root, {{1.0f, 10.0f}, {3.0f, 30.0f}, {5.0f, 80.0f}});
  const Output y = layers::BatchNorm(
      root, x, true, layers::BatchNormOptions().decay(0.5).updates_collections(std::nullopt));
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_TRUE(::warpbeam::frontend::layers::UpdateOps(root).empty());
  const std::vector<Variable> all = ModelVariables(root);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  ASSERT_TRUE(session.Run({y}).ok());
  const auto moved = session.Run({all[1].read(), all[2].read()});
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_FLOAT_EQ((*moved)[0].data<float>()[1], 20);
  EXPECT_FLOAT_EQ((*moved)[1].data<float>()[1], 650.5f);
}

TEST(ContribLayersTest, ArgScopesReachLayersInside) {
  using layers::Layer;
  using layers::LayerOptions;
  const Scope root = Scope::NewRoot();
  const auto network = [](const Scope& scope, Output net) {
    net = layers::Conv2D(scope, net, 4, 3);
    net = layers::Conv2D(scope, net, 4, 3, LayerOptions().padding("SAME").activation_fn(nullptr));
    return layers::FullyConnected(scope, layers::Flatten(scope, net), 2);
  };
  const Scope outer = layers::ArgScope(
      root, {Layer::kConv2D, Layer::kFullyConnected},
      LayerOptions().activation_fn(nn::Tanh).weights_regularizer(layers::L2Regularizer(0.1)));
  const Scope inner = layers::ArgScope(
      outer, {Layer::kConv2D},
      LayerOptions().padding("VALID").normalizer_fn(
          [](const Scope& s, const Output& x) { return layers::BatchNorm(s, x); }));
  const Scope slim =
      layers::ArgScope(inner, layers::BatchNormOptions().scale(true).is_training(false));
  const Output y = network(slim, Placeholder(root, DType::kFloat, {-1, 8, 8, 3}));
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_EQ(y.op().type(), "Tanh");
  EXPECT_EQ(root.GetTensor("Conv/Tanh:0").shape(), PartialShape({-1, 6, 6, 4}));
  // The second one says otherwise; what it says nothing of is the scope's.
  EXPECT_EQ(root.GetTensor("Conv_1/BatchNorm/FusedBatchNormV3:0").shape(),
            PartialShape({-1, 6, 6, 4}));
  EXPECT_FALSE(root.HasOperation("Conv_1/Tanh"));
  EXPECT_TRUE(root.HasOperation("Conv_1/BatchNorm/gamma"));
  EXPECT_FALSE(root.HasOperation("Conv/biases"));
  EXPECT_TRUE(root.HasOperation("fully_connected/biases"));
  EXPECT_TRUE(::warpbeam::frontend::layers::UpdateOps(root).empty());
  EXPECT_EQ(GetCollection(root, GraphKeys::kRegularizationLosses).size(), 3u);
  // Outside nothing has changed.
  EXPECT_EQ(network(root.VariableScope("out"), Zeros(root, {1, 8, 8, 3})).op().type(), "Relu");
}

TEST(ContribLayersTest, InitializersScaleTheVariance) {
  const Scope root = Scope::NewRoot();
  GetVariable(root, "a", {4, 6}, layers::XavierInitializer(true, 3));
  GetVariable(root, "b", {4, 6}, layers::XavierInitializer(false));
  GetVariable(root, "c", {3, 3, 4, 6}, layers::VarianceScalingInitializer());
  EXPECT_THAT(Values(root, root.GetTensor("a/Initializer/random_uniform/max:0")),
              ElementsAre(static_cast<float>(std::sqrt(0.6))));
  EXPECT_THAT(Values(root, root.GetTensor("b/Initializer/truncated_normal/stddev:0")),
              ElementsAre(static_cast<float>(std::sqrt(1.3 / 5))));
  EXPECT_THAT(Values(root, root.GetTensor("c/Initializer/truncated_normal/stddev:0")),
              ElementsAre(static_cast<float>(std::sqrt(2.6 / 36))));
  ASSERT_TRUE(root.ok()) << root.status();
  GetVariable(root, "d", {4, 6}, layers::VarianceScalingInitializer(0));
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
}

TEST(ContribLayersTest, WhatDoesNotFitIsAnError) {
  const auto code_of = [](const std::function<void(const Scope&, const Output&)>& build) {
    const Scope root = Scope::NewRoot();
    build(root, Placeholder(root, DType::kFloat, {-1, 8, 8, 3}));
    return root.status().code();
  };
  const auto invalid = StatusCode::kInvalidArgument;
  EXPECT_EQ(code_of([](const Scope& s, const Output& x) { layers::Dropout(s, x, 0); }), invalid);
  EXPECT_EQ(code_of([](const Scope& s, const Output& x) { layers::MaxPool2D(s, x, 2, 2, "NONE"); }),
            invalid);
  EXPECT_EQ(code_of([](const Scope& s, const Output& x) {
              layers::Conv2D(s, x, 4, 3, layers::LayerOptions().data_format("CNHW"));
            }),
            invalid);
  EXPECT_EQ(code_of([](const Scope& s, const Output&) { layers::FullyConnected(s, Output(), 4); }),
            invalid);
}

// w after three steps in which the loss is the squares of one row each, and its first moments.
void ExpectLazySteps(bool use_resource) {
  const Scope root = Scope::NewRoot();
  const Output begin =
      Constant(root, std::vector<float>{1, -2, 3, 4, -5, 6}, DType::kFloat, {3, 2});
  const Variable w(root.Named("w"), begin, VariableOptions().use_resource(use_resource));
  const Output row = Placeholder(root, DType::kInt32, {1});
  const Output taken = BuildOutput(root, "GatherV2", {w, row, 0});
  opt::LazyAdamOptimizer lazy(0.1);
  const Operation train = lazy.Minimize(root, ReduceSum(root, Multiply(root, taken, taken)));
  EXPECT_EQ(lazy.GetSlot(w, "m").name(), "w/Adam");
  const Operation init = GlobalVariablesInitializer(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  for (const int32_t number : {0, 1, 0}) {
    const Tensor fed = Tensor::FromValues<int32_t>(Shape({1}), {number});
    const auto run = session.Run({{row, fed}}, {train});
    ASSERT_TRUE(run.ok()) << run.status();
  }
  const auto got = session.Run({w.read(), lazy.GetSlot(w, "m").read()});
  ASSERT_TRUE(got.ok()) << got.status();
  const double want_w[] = {0.81450765, -1.81429668, 2.92558632, 3.92558632, -5, 6};
  const double want_m[] = {0.36, -0.74, 0.6, 0.8, 0, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR((*got)[0].data<float>()[i], want_w[i], 2e-6 * (1 + std::abs(want_w[i]))) << i;
    EXPECT_NEAR((*got)[1].data<float>()[i], want_m[i], 2e-6) << i;
  }
}

TEST(LazyAdamTest, LeavesTheMomentsOfOtherRowsAlone) { ExpectLazySteps(false); }
TEST(LazyAdamTest, ChangesResourcesToo) { ExpectLazySteps(true); }

}  // namespace
}  // namespace contrib
}  // namespace frontend
}  // namespace warpbeam
