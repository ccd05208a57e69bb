// Recurrent nets give TensorFlow's numbers and names, static and dynamic ones alike, and train.
#include "frontend/rnn/rnn.h"

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/collections.h"
#include "frontend/control.h"
#include "frontend/gradients.h"
#include "frontend/math.h"
#include "frontend/variables/variable_scope.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

Initializer ThreeWeights() {
  return Initializer([](const Scope& scope, const Shape& shape, DType dtype) {
    std::vector<float> values;
    for (int i = 0; i < shape.num_elements(); ++i) values.push_back((i % 3 - 1) * 0.5f);
    return Constant(scope, values, dtype, shape);
  });
}

using MakeCell = std::function<RNNCellPtr()>;

RNNCellPtr MakeBasic() { return std::make_shared<BasicRNNCell>(2); }
RNNCellPtr MakeGRU() { return std::make_shared<GRUCell>(2); }
RNNCellPtr MakeLSTM() { return std::make_shared<BasicLSTMCell>(2); }
RNNCellPtr MakeFull() {
  return std::make_shared<LSTMCell>(
      2, LSTMOptions().use_peepholes(true).num_proj(3).cell_clip(0.4).proj_clip(0.3));
}
RNNCellPtr MakeDeep() {
  return std::make_shared<MultiRNNCell>(
      std::vector<RNNCellPtr>{std::make_shared<GRUCell>(3), std::make_shared<BasicLSTMCell>(2)});
}

// Two sequences, of three steps and of two.
struct Sequences {
  Sequences() {
    std::vector<float> values;
    for (int i = 0; i < 12; ++i) values.push_back((i % 5) / 4.0f);
    x = Constant(root, values, DType::kFloat, {2, 3, 2});
    options.sequence_length(Input({3, 2}));
  }
  // The sum, and the sum weighted by cos(0.7 i).
  std::vector<double> Sums(const Output& y) const {
    EXPECT_TRUE(root.ok()) << root.status();
    if (!root.ok()) return {0, 0};
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    EXPECT_TRUE(session.Run({init}).ok());
    const auto out = session.Run({y});
    EXPECT_TRUE(out.ok()) << out.status();
    if (!out.ok()) return {0, 0};
    std::vector<double> sums = {0, 0};
    for (int64_t i = 0; i < (*out)[0].num_elements(); ++i) {
      sums[0] += (*out)[0].data<float>()[i];
      sums[1] += (*out)[0].data<float>()[i] * std::cos(i * 0.7);
    }
    return sums;
  }
  void ExpectSums(const Output& y, double sum, double weighted) const {
    const std::vector<double> sums = Sums(y);
    EXPECT_NEAR(sums[0], sum, 5e-6);
    EXPECT_NEAR(sums[1], weighted, 5e-6);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Variable& variable : GlobalVariables(root)) names.push_back(variable.name());
    return names;
  }

  const Scope root = Scope::NewRoot();
  const Scope v = root.VariableScope("v", VariableScopeOptions().initializer(ThreeWeights()));
  Output x;
  RNNOptions options;
};

struct Numbers {
  const char* name;
  MakeCell make;
  std::vector<double> outputs;
  std::vector<std::vector<double>> state;
  std::vector<double> backward;
};

TEST(DynamicRNNTest, GivesTensorFlowsNumbers) {
  const std::vector<Numbers> all = {
      {"basic", MakeBasic, {-0.650654, 0.112630}, {{-0.412105, -0.015351}}, {-0.747283, 0.490330}},
      {"gru", MakeGRU, {-0.330997, 0.011790}, {{-0.233499, 0.026194}}, {-0.547110, -0.128842}},
      {"lstm",
       MakeLSTM,
       {0.358245, 0.114074},
       {{0.413608, 0.133930}, {0.163930, 0.036114}},
       {0.321580, 0.196711}},
      {"full", MakeFull, {0, -0.072201}, {{0.469528, 0.162488}, {0, -0.044889}}, {0, -0.157369}},
      {"deep",
       MakeDeep,
       {-0.118912, 0.011708},
       {{-0.371556, -0.236009}, {-0.138041, -0.212711}, {-0.083772, -0.116949}},
       {-0.156174, -0.041265}}};
  for (const Numbers& want : all) {
    SCOPED_TRACE(want.name);
    const Sequences s;
    const RNNResult result = DynamicRNN(s.v, want.make(), s.x, s.options);
    ASSERT_TRUE(s.root.ok()) << s.root.status();
    s.ExpectSums(result.outputs, want.outputs[0], want.outputs[1]);
    ASSERT_EQ(result.state.size(), want.state.size());
    for (size_t i = 0; i < want.state.size(); ++i) {
      s.ExpectSums(result.state[i], want.state[i][0], want.state[i][1]);
    }
    const BidirectionalResult both =
        BidirectionalDynamicRNN(s.v, want.make(), want.make(), s.x, s.options);
    ASSERT_TRUE(s.root.ok()) << s.root.status();
    s.ExpectSums(both.forward.outputs, want.outputs[0], want.outputs[1]);
    s.ExpectSums(both.backward.outputs, want.backward[0], want.backward[1]);
  }
}

TEST(DynamicRNNTest, NamesItsWeightsAsTensorFlowDoes) {
  const auto names_of = [](const MakeCell& make) {
    const Sequences s;
    DynamicRNN(s.v, make(), s.x);
    EXPECT_TRUE(s.root.ok()) << s.root.status();
    return s.Names();
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(MakeBasic),
            (Names{"v/rnn/basic_rnn_cell/kernel", "v/rnn/basic_rnn_cell/bias"}));
  EXPECT_EQ(names_of(MakeGRU),
            (Names{"v/rnn/gru_cell/gates/kernel", "v/rnn/gru_cell/gates/bias",
                   "v/rnn/gru_cell/candidate/kernel", "v/rnn/gru_cell/candidate/bias"}));
  EXPECT_EQ(names_of(MakeFull),
            (Names{"v/rnn/lstm_cell/kernel", "v/rnn/lstm_cell/bias", "v/rnn/lstm_cell/w_f_diag",
                   "v/rnn/lstm_cell/w_i_diag", "v/rnn/lstm_cell/w_o_diag",
                   "v/rnn/lstm_cell/projection/kernel"}));
  EXPECT_EQ(names_of(MakeDeep), (Names{"v/rnn/multi_rnn_cell/cell_0/gru_cell/gates/kernel",
                                       "v/rnn/multi_rnn_cell/cell_0/gru_cell/gates/bias",
                                       "v/rnn/multi_rnn_cell/cell_0/gru_cell/candidate/kernel",
                                       "v/rnn/multi_rnn_cell/cell_0/gru_cell/candidate/bias",
                                       "v/rnn/multi_rnn_cell/cell_1/basic_lstm_cell/kernel",
                                       "v/rnn/multi_rnn_cell/cell_1/basic_lstm_cell/bias"}));
  const Sequences s;
  BidirectionalDynamicRNN(s.root, MakeLSTM(), MakeLSTM(), s.x);
  EXPECT_EQ(s.Names(), (Names{"bidirectional_rnn/fw/basic_lstm_cell/kernel",
                              "bidirectional_rnn/fw/basic_lstm_cell/bias",
                              "bidirectional_rnn/bw/basic_lstm_cell/kernel",
                              "bidirectional_rnn/bw/basic_lstm_cell/bias"}));
}

TEST(DynamicRNNTest, TakesTimeFirstAndUnknownLengths) {
  const Sequences s;
  const Output x = Placeholder(s.root, DType::kFloat, {-1, -1, 2});
  const RNNResult result = DynamicRNN(s.v, MakeGRU(), x, RNNOptions(s.options).time_major(true));
  ASSERT_TRUE(s.root.ok()) << s.root.status();
  EXPECT_EQ(result.outputs.shape(), PartialShape({-1, -1, 2}));
  const Output turned = Transpose(s.root, s.x, {1, 0, 2});
  const Operation init = GlobalVariablesInitializer(s.root);
  ClientSession session(s.root);
  ASSERT_TRUE(session.Run({init}).ok());
  const auto fed = session.Run({turned});
  ASSERT_TRUE(fed.ok()) << fed.status();
  const auto out = session.Run({{x, (*fed)[0]}}, {result.outputs});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), Shape({3, 2, 2}));
  // The last step of the shorter sequence.
  EXPECT_EQ((*out)[0].data<float>()[10], 0);
  EXPECT_EQ((*out)[0].data<float>()[11], 0);
}

TEST(StaticRNNTest, GivesWhatTheDynamicOneGives) {
  const Sequences s;
  const std::vector<Output> steps =
      BuildOutputs(s.root, "Unpack", {s.x}, OpAttrs().Set("num", 3).Set("axis", 1), 3);
  const StaticRNNResult result = StaticRNN(s.v, MakeLSTM(), steps, s.options);
  ASSERT_EQ(result.outputs.size(), 3u) << s.root.status();
  s.ExpectSums(Stack(s.root, result.outputs, 1), 0.358245, 0.114074);
  s.ExpectSums(result.state[0], 0.413608, 0.133930);
  EXPECT_EQ(s.Names(), (std::vector<std::string>{"v/rnn/basic_lstm_cell/kernel",
                                                 "v/rnn/basic_lstm_cell/bias"}));
  const StaticBidirectionalResult both =
      StaticBidirectionalRNN(s.v, MakeLSTM(), MakeLSTM(), steps, s.options);
  ASSERT_EQ(both.outputs.size(), 3u) << s.root.status();
  const std::vector<Output> parts = Split(s.root, Stack(s.root, both.outputs, 1), 2, 2);
  s.ExpectSums(parts[0], 0.358245, 0.114074);
  s.ExpectSums(parts[1], 0.321580, 0.196711);
}

TEST(DropoutWrapperTest, KeepsWeightsNamesAndDropsInputs) {
  const Sequences s;
  const auto cell = std::make_shared<DropoutWrapper>(MakeGRU(), 0.5, 0.5, 0.9);
  const RNNResult result = DynamicRNN(s.root, cell, s.x);
  EXPECT_EQ(s.Names()[0], "rnn/gru_cell/gates/kernel");
  s.Sums(result.outputs);
  const Sequences bad;
  DynamicRNN(bad.root, std::make_shared<DropoutWrapper>(MakeGRU(), 0.0), bad.x);
  EXPECT_EQ(bad.root.status().code(), StatusCode::kInvalidArgument);
}

// The net learns to tell, after the last step, the sum of what it saw.
TEST(DynamicRNNTest, ATrainingFalls) {
  for (const MakeCell& make : {MakeCell(MakeGRU), MakeCell(MakeFull)}) {
    const Sequences s;
    s.root.SetRandomSeed(5);
    const RNNResult result = DynamicRNN(s.root, make(), s.x, s.options);
    ASSERT_TRUE(s.root.ok()) << s.root.status();
    const Output guess = ReduceSum(s.root, result.state.back(), 1);
    const Output wanted = Constant(s.root, {0.6f, -0.4f});
    const Output loss = ReduceSum(s.root, Square(s.root, Subtract(s.root, guess, wanted)));
    const std::vector<Variable> weights = TrainableVariables(s.root);
    const auto gradients = Gradients(s.root, {loss}, InputList(weights));
    std::vector<Operation> steps;
    for (size_t i = 0; i < weights.size(); ++i) {
      const Output change = Multiply(s.root, gradients[i], 0.1f);
      steps.push_back(BuildOp(s.root, "AssignSub", {weights[i], change}));
    }
    const Operation init = GlobalVariablesInitializer(s.root);
    const Operation train = Group(s.root, steps);
    ASSERT_TRUE(s.root.ok()) << s.root.status();
    ClientSession session(s.root);
    ASSERT_TRUE(session.Run({init}).ok());
    const float before = (*session.Run({loss}))[0].scalar<float>();
    for (int i = 0; i < 60; ++i) {
      const auto run = session.Run({train});
      ASSERT_TRUE(run.ok()) << run.status();
    }
    const float after = (*session.Run({loss}))[0].scalar<float>();
    EXPECT_LT(after, 0.5f * before) << before;
  }
}

TEST(RNNTest, WhatDoesNotFitIsNamed) {
  const Sequences s;
  DynamicRNN(s.root, MakeGRU(), Placeholder(s.root.Named("flat"), DType::kFloat, {2, 3}));
  EXPECT_NE(s.root.status().message().find(
                "the recurrent net 'rnn' needs a cell and inputs of 3 dimensions of a float type, "
                "the last one known; 'flat:0' is float[2,3]"),
            absl::string_view::npos)
      << s.root.status();
  const Sequences other;
  DynamicRNN(other.root, MakeLSTM(), other.x, RNNOptions().initial_state({other.x}));
  EXPECT_NE(other.root.status().message().find("has a state of 2 tensors, got 1"),
            absl::string_view::npos)
      << other.root.status();
}

}  // namespace
}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
