// Layers compute TensorFlow's numbers, train, and say what does not fit.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/gradients.h"
#include "frontend/layers/convolution.h"
#include "frontend/layers/dense.h"
#include "frontend/layers/dropout.h"
#include "frontend/layers/normalization.h"
#include "frontend/layers/pooling.h"
#include "frontend/math.h"
#include "frontend/nn.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace layers {
namespace {

// The values (i mod period) / 2.
Output Waves(const Scope& root, const Shape& shape, int period) {
  std::vector<float> values;
  for (int i = 0; i < shape.num_elements(); ++i) values.push_back((i % period) / 2.0f);
  return Constant(root, values, DType::kFloat, shape);
}

// Weights -0.5, 0, 0.5, -0.5 …
Initializer ThreeWeights() {
  return Initializer([](const Scope& scope, const Shape& shape, DType dtype) {
    std::vector<float> values;
    for (int i = 0; i < shape.num_elements(); ++i) values.push_back((i % 3 - 1) * 0.5f);
    return Constant(scope, values, dtype, shape);
  });
}

template <typename Options>
Options WithWeights(Options options) {
  return options.kernel_initializer(ThreeWeights()).bias_initializer(ConstantInitializer(0.25));
}

Tensor Evaluate(const Scope& root, const Output& y) {
  EXPECT_TRUE(root.ok()) << root.status();
  if (!root.ok()) return Tensor();
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  EXPECT_TRUE(session.Run({init}).ok());
  auto out = session.Run({y});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

// The sum, and the sum weighted by cos(0.7 i), which also tells the order: both as TensorFlow gives
// them.
void ExpectSums(const Scope& root, const Output& y, const Shape& shape, double sum,
                double weighted) {
  const Tensor got = Evaluate(root, y);
  ASSERT_EQ(got.shape(), shape);
  double all = 0, ordered = 0;
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    all += got.data<float>()[i];
    ordered += got.data<float>()[i] * std::cos(i * 0.7);
  }
  EXPECT_NEAR(all, sum, 1e-4);
  EXPECT_NEAR(ordered, weighted, 1e-4);
}

struct Inputs {
  const Scope root = Scope::NewRoot();
  const Output image = Waves(root, {2, 4, 4, 2}, 7);
  const Output row = Waves(root, {2, 4, 2}, 5);
  const Output volume = Waves(root, {1, 3, 3, 3, 1}, 5);
};

TEST(LayersTest, DenseGivesTensorFlowsNumbers) {
  Inputs in;
  ExpectSums(in.root, Dense(in.root, in.row, 3, WithWeights(DenseOptions())), {2, 4, 3}, 6,
             -2.110420);
}

TEST(LayersTest, ConvolutionsGiveTensorFlowsNumbers) {
  const ConvOptions options = WithWeights(ConvOptions());
  Inputs in;
  const Scope& root = in.root;
  ExpectSums(root, Conv1D(root, in.row, 2, 2, ConvOptions(options).strides(2).padding("same")),
             {2, 2, 2}, 0, -0.017548);
  ExpectSums(root, Conv2D(root, in.image, 2, 3, options), {2, 2, 2, 2}, 5.25, 0.390158);
  ExpectSums(root, Conv2D(root, in.image, 1, 2, ConvOptions(options).dilation_rate(2)),
             {2, 2, 2, 1}, -4.25, 5.568713);
  ExpectSums(root, Conv3D(root, in.volume, 1, 2, options), {1, 2, 2, 2, 1}, -2, 1.202677);
  const ConvOptions twice = ConvOptions(options).strides(2).padding("same");
  ExpectSums(root, Conv2DTranspose(root, in.image, 1, 3, twice), {2, 8, 8, 1}, 17, 1.124368);
  ExpectSums(root, Conv3DTranspose(root, in.volume, 1, 2, options), {1, 4, 4, 4, 1}, 3.25,
             1.718866);
}

TEST(LayersTest, SeparableConvolutionsGiveTensorFlowsNumbers) {
  const SeparableConvOptions options =
      WithWeights(SeparableConvOptions()).depthwise_initializer(ThreeWeights());
  Inputs in;
  ExpectSums(
      in.root,
      SeparableConv2D(in.root, in.image, 2, 2, SeparableConvOptions(options).depth_multiplier(2)),
      {2, 3, 3, 2}, 29.625, -1.158091);
  ExpectSums(in.root,
             SeparableConv1D(in.root, in.row, 2, 2,
                             SeparableConvOptions(options).strides(2).padding("same")),
             {2, 2, 2}, 2.25, -0.861313);
}

TEST(LayersTest, PoolingGivesTensorFlowsNumbers) {
  Inputs in;
  ExpectSums(in.root, AveragePooling1D(in.root, in.row, 2, 2), {2, 2, 2}, 7.5, -1.247867);
  ExpectSums(in.root, MaxPooling3D(in.root, in.volume, 2, 1), {1, 2, 2, 2, 1}, 16, -1.504929);
}

TEST(LayersTest, AVariableScopeSharesWeights) {
  const Scope root = Scope::NewRoot();
  const Output x = Zeros(root, {2, 4});
  for (int tower = 0; tower < 2; ++tower) {
    const Scope scope = root.SameVariableScope(VariableScopeOptions().reuse(tower > 0))
                            .NameScope("tower_" + std::to_string(tower));
    Dense(scope, Dense(scope, x, 3), 2);
  }
  ASSERT_TRUE(root.ok()) << root.status();
  std::vector<std::string> names;
  for (const Variable& variable : TrainableVariables(root)) names.push_back(variable.name());
  EXPECT_EQ(names, (std::vector<std::string>{"dense/kernel", "dense/bias", "dense_1/kernel",
                                             "dense_1/bias"}));
  EXPECT_EQ(Dense(root, x, 3, DenseOptions().reuse(true)).op().name(), "dense/BiasAdd");
  Dense(root.Named("dense"), x, 5, DenseOptions().reuse(true));
  EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(root.status().message().find("dense/kernel"), absl::string_view::npos);
}

TEST(LayersTest, RegularizersBecomeLosses) {
  const Scope root = Scope::NewRoot();
  Dense(root, Zeros(root, {2, 4}), 3, DenseOptions().kernel_regularizer(L2Regularizer(0.1)));
  EXPECT_EQ(GetCollection(root, GraphKeys::kRegularizationLosses).size(), 1u);
}

TEST(LayersTest, ActivityRegularizersBecomeLosses) {
  const Scope root = Scope::NewRoot();
  const Output x = Ones(root, {2, 4});
  const Output y = Dense(root, x, 3,
                         DenseOptions()
                             .kernel_initializer(ConstantInitializer(0.5))
                             .activity_regularizer(L2Regularizer(0.1)));
  Conv2D(root, Ones(root, {1, 2, 2, 1}), 1, 1,
         ConvOptions().activity_regularizer(L2Regularizer(1)));
  const auto losses = GetCollection(root, GraphKeys::kRegularizationLosses);
  ASSERT_EQ(losses.size(), 2u) << root.status();
  EXPECT_EQ(losses[0].name(), "dense/ActivityRegularizer/truediv:0");
  // Six outputs of 2: 0.1 * 6 * 4 / 2, over two examples.
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  const auto out = session.Run({losses[0]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_NEAR((*out)[0].scalar<float>(), 0.6, 1e-6);
}

TEST(BatchNormalizationTest, TrainsOnTheBatchAndRemembers) {
  for (const bool fused : {true, false}) {
    Inputs in;
    const Output y = BatchNormalization(in.root, in.image, true,
                                        BatchNormalizationOptions().momentum(0.9).fused(fused));
    const std::vector<Operation> updates = UpdateOps(in.root);
    ASSERT_EQ(updates.size(), 2u);
    const Operation init = GlobalVariablesInitializer(in.root);
    std::vector<Output> averages;
    std::vector<std::string> names;
    for (const Variable& variable : GlobalVariables(in.root)) {
      names.push_back(variable.name());
      if (!variable.trainable()) averages.push_back(variable.read());
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"batch_normalization/gamma", "batch_normalization/beta",
                                        "batch_normalization/moving_mean",
                                        "batch_normalization/moving_variance"}));
    EXPECT_EQ(updates[0].name(), "batch_normalization/AssignMovingAvg");
    EXPECT_EQ(updates[1].name(), "batch_normalization/AssignMovingAvg_1");
    ExpectSums(in.root, y, {2, 4, 4, 2}, 0, -1.318862);
    ClientSession session(in.root);
    ASSERT_TRUE(session.Run({init}).ok());
    ASSERT_TRUE(session.Run({updates[0], updates[1]}).ok());
    const auto got = session.Run({averages[0], averages[1]});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_NEAR((*got)[0].data<float>()[0], 0.1 * 1.5, 1e-6);
    EXPECT_NEAR((*got)[0].data<float>()[1], 0.1 * 1.453125, 1e-6);
    // The fused operation keeps the unbiased variance.
    EXPECT_NEAR((*got)[1].data<float>()[0], 0.9 + 0.1 * (fused ? 1.064516 : 1.03125), 1e-6);
  }
}

// Three batches, and TensorFlow's numbers after them.
TEST(BatchNormalizationTest, TheAveragesMoveAsTensorFlows) {
  for (const bool fused : {true, false}) {
    const Scope root = Scope::NewRoot();
    const Output x = Placeholder(root, DType::kFloat, {2, 2, 2, 2});
    const Output y =
        BatchNormalization(root, x, true, BatchNormalizationOptions().momentum(0.9).fused(fused));
    const std::vector<Operation> updates = UpdateOps(root);
    const Operation init = GlobalVariablesInitializer(root);
    ASSERT_TRUE(root.ok()) << root.status();
    const std::vector<Variable> variables = GlobalVariables(root);
    ClientSession session(root);
    ASSERT_TRUE(session.Run({init}).ok());
    Tensor last;
    for (int step = 0; step < 3; ++step) {
      std::vector<float> values;
      for (int i = 0; i < 16; ++i) {
        values.push_back(static_cast<float>(std::sin(i * (step + 1)) * (step + 1) + step));
      }
      const auto out = session.Run({{x, Tensor::FromValues<float>(Shape({2, 2, 2, 2}), values)}},
                                   {y, updates[0], updates[1]});
      ASSERT_TRUE(out.ok()) << out.status();
      last = (*out)[0];
    }
    EXPECT_NEAR(last.data<float>()[3], -1.0944071, 1e-5);
    EXPECT_NEAR(last.data<float>()[8], -0.6812448, 1e-5);
    const auto averages = session.Run({variables[2].read(), variables[3].read()});
    ASSERT_TRUE(averages.ok()) << averages.status();
    const double mean[] = {0.08943077, 0.52174765};
    const double variance[2][2] = {{1.0391406, 1.0340004}, {1.0834464, 1.0775720}};
    for (int c = 0; c < 2; ++c) {
      EXPECT_NEAR((*averages)[0].data<float>()[c], mean[c], 1e-6);
      EXPECT_NEAR((*averages)[1].data<float>()[c], variance[fused][c], 1e-6);
    }
  }
}

TEST(BatchNormalizationTest, ATensorDecidesWhetherItTrains) {
  for (const bool fused : {true, false}) {
    Inputs in;
    const Output training = Placeholder(in.root, DType::kBool, Shape());
    const Output y = BatchNormalization(in.root, in.image, training,
                                        BatchNormalizationOptions().momentum(0.9).fused(fused));
    const Output largest = ReduceMax(in.root, y);
    const std::vector<Operation> updates = UpdateOps(in.root);
    ASSERT_EQ(updates.size(), 2u) << in.root.status();
    const Operation init = GlobalVariablesInitializer(in.root);
    const Output mean = GlobalVariables(in.root)[2].read();
    ClientSession session(in.root);
    ASSERT_TRUE(session.Run({init}).ok());
    const auto run = [&](bool is_training) {
      const auto out = session.Run({{training, Tensor::Scalar<bool>(is_training)}},
                                   {largest, updates[0], updates[1]});
      EXPECT_TRUE(out.ok()) << out.status();
      return out.ok() ? (*out)[0].scalar<float>() : 0;
    };
    EXPECT_NEAR(run(false), 3 / std::sqrt(1.001), 1e-5);
    EXPECT_EQ((*session.Run({mean}))[0].data<float>()[0], 0);
    EXPECT_NEAR(run(true), 1.5418, 1e-3);
    EXPECT_NEAR((*session.Run({mean}))[0].data<float>()[0], 0.15, 1e-6);
  }
}

TEST(BatchNormalizationTest, NormalizesByTheMovingAverages) {
  Inputs in;
  const Output y = BatchNormalization(in.root, in.row, false, BatchNormalizationOptions().axis(1));
  EXPECT_TRUE(UpdateOps(in.root).empty());
  const Tensor got = Evaluate(in.root, y);
  EXPECT_NEAR(got.data<float>()[3], 1.5 / std::sqrt(1.001), 1e-6);
}

TEST(LayerNormTest, EachExampleHasMeanZeroAndVarianceOne) {
  Inputs in;
  const Tensor got = Evaluate(in.root, LayerNorm(in.root, in.row));
  for (int row = 0; row < 2; ++row) {
    double sum = 0, squares = 0;
    for (int i = 0; i < 8; ++i) {
      const double v = got.data<float>()[row * 8 + i];
      sum += v;
      squares += v * v;
    }
    EXPECT_NEAR(sum, 0, 1e-5);
    EXPECT_NEAR(squares / 8, 1, 1e-5);
  }
  EXPECT_EQ(GlobalVariables(in.root)[0].name(), "LayerNorm/beta");
  EXPECT_EQ(GetVariables(in.root, GraphKeys::kModelVariables).size(), 2u);
}

TEST(DropoutTest, KeepsTheMeanInTraining) {
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(7);
  const Output x = Ones(root, {100, 100});
  const Tensor got = Evaluate(root, Dropout(root, x, 0.25, true));
  int kept = 0;
  for (int i = 0; i < 10000; ++i) {
    const float v = got.data<float>()[i];
    ASSERT_TRUE(v == 0 || std::abs(v - 4.0f / 3) < 1e-6) << v;
    kept += v != 0;
  }
  EXPECT_NEAR(kept, 7500, 200);
  EXPECT_EQ(Evaluate(root, Dropout(root, x, 0.25)).data<float>()[17], 1);
  const Tensor rows =
      Evaluate(root, Dropout(root, x, 0.5, true, DropoutOptions().noise_shape({100, 1})));
  EXPECT_EQ(rows.data<float>()[0], rows.data<float>()[99]);
}

// A small net of every kind of layer learns to tell two pictures from each other.
TEST(LayersTest, ATrainingFalls) {
  const Scope root = Scope::NewRoot();
  root.SetRandomSeed(3);
  const Output images = Waves(root, {2, 8, 8, 3}, 11);
  const Output labels = Constant(root, {0, 1});
  const ConvOptions same = ConvOptions().padding("same").activation(nn::Relu);
  Output x = Conv2D(root, images, 4, 3, same);
  x = BatchNormalization(root, x, true);
  x = MaxPooling2D(root, x, 2, 2);
  x = SeparableConv2D(root, x, 4, 3, SeparableConvOptions().padding("same").activation(nn::Relu));
  x = Conv2DTranspose(root, x, 2, 2, ConvOptions().strides(2));
  x = AveragePooling2D(root, x, 2, 2);
  x = LayerNorm(root, Flatten(root, x));
  const Output logits = Dense(root, Dropout(root, x, 0.1, true), 2);
  const Output loss =
      ReduceMean(root, nn::SparseSoftmaxCrossEntropyWithLogits(root, labels, logits));
  std::vector<Output> weights;
  for (const Variable& variable : TrainableVariables(root)) weights.push_back(variable);
  ASSERT_TRUE(root.ok()) << root.status();
  const auto gradients = Gradients(root, {loss}, weights);
  std::vector<Operation> steps = UpdateOps(root);
  for (size_t i = 0; i < weights.size(); ++i) {
    const Output change = Multiply(root, gradients[i], 0.1f);
    steps.push_back(BuildOp(root, "AssignSub", {TrainableVariables(root)[i], change}));
  }
  const Operation init = GlobalVariablesInitializer(root);
  const Operation train = Group(root, steps);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  const float before = (*session.Run({loss}))[0].scalar<float>();
  for (int i = 0; i < 30; ++i) {
    const auto run = session.Run({train});
    ASSERT_TRUE(run.ok()) << run.status();
  }
  const float after = (*session.Run({loss}))[0].scalar<float>();
  EXPECT_LT(after, 0.3f * before) << before;
}

struct Misfit {
  const char* what;
  std::function<void(const Scope&)> build;
  const char* says;
};

TEST(LayersTest, WhatDoesNotFitIsNamed) {
  const auto x = [](const Scope& s, const PartialShape& shape) {
    return Placeholder(s.Named("x"), DType::kFloat, shape);
  };
  const std::vector<Misfit> misfits = {
      {"rank",
       [&](const Scope& s) {
         Conv2D(s, x(s, {-1, 3}), 4, 3);
       },
       "the layer 'conv2d' (on 'x:0' of [?,3]) takes 4 dimensions: [batch, height, width"},
      {"channels",
       [&](const Scope& s) {
         Dense(s, x(s, {3, -1}), 4);
       },
       "the layer 'dense' (on 'x:0' of [3,?]) needs to know dimension -1"},
      {"window",
       [&](const Scope& s) {
         Conv2D(s, x(s, {1, 2, 2, 1}), 4, 3);
       },
       "a window of 3 does not fit into the 2 of dimension 1"},
      {"padding",
       [&](const Scope& s) {
         Conv2D(s, x(s, {1, 9, 9, 1}), 4, 3, ConvOptions().padding("half"));
       },
       "'valid' or 'same', got 'half'"},
      {"dilation",
       [&](const Scope& s) {
         Conv2D(s, x(s, {1, 9, 9, 1}), 4, 3, ConvOptions().strides(2).dilation_rate(2));
       },
       "dilation"},
      {"sizes",
       [&](const Scope& s) {
         Conv2D(s, x(s, {1, 9, 9, 1}), 4, {3, 3, 3});
       },
       "2 of them"},
      {"units",
       [&](const Scope& s) {
         Dense(s, x(s, {1, 9}), 0);
       },
       "0 units"},
      {"axis",
       [&](const Scope& s) {
         BatchNormalization(s, x(s, {1, 9}), true, BatchNormalizationOptions().axis(3));
       },
       "the layer 'batch_normalization' (on 'x:0' of [1,9])"},
      {"pool",
       [&](const Scope& s) {
         MaxPooling2D(s, x(s, {1, 9}), 2, 2);
       },
       "the layer 'max_pooling2d' (on 'x:0' of [1,9]) takes 4 dimensions"},
      {"rate",
       [&](const Scope& s) {
         Dropout(s, x(s, {1, 9}), 1.5, true);
       },
       "got 1.5"},
      {"depth",
       [&](const Scope& s) {
         SeparableConv2D(s, x(s, {1, 9, 9, 2}), 2, 2, SeparableConvOptions().depth_multiplier(0));
       },
       "depth_multiplier"},
      {"norm",
       [&](const Scope& s) {
         LayerNorm(s, x(s, {1, -1}));
       },
       "the layer 'LayerNorm'"},
  };
  for (const Misfit& misfit : misfits) {
    const Scope root = Scope::NewRoot();
    misfit.build(root);
    EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << misfit.what;
    EXPECT_NE(root.status().message().find(misfit.says), absl::string_view::npos) << root.status();
    EXPECT_NE(root.status().message().find("layers_test.cc"), absl::string_view::npos)
        << root.status();
  }
}

}  // namespace
}  // namespace layers
}  // namespace frontend
}  // namespace warpbeam
