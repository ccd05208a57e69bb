// A loop of one's own, wrappers and saved states give TensorFlow's numbers.
#include "frontend/rnn/raw_rnn.h"

#include <cmath>
#include <map>

#include "frontend/array.h"
#include "frontend/build.h"
#include "frontend/client_session.h"
#include "frontend/control.h"
#include "frontend/control_flow/cond.h"
#include "frontend/math.h"
#include "frontend/variables/variable_scope.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace nn {
namespace {

class RawRnnTest : public testing::Test {
 protected:
  RawRnnTest() {
    std::vector<float> values;
    for (int i = 0; i < 12; ++i) values.push_back((i % 5) / 4.0f);
    x = Constant(root, values, DType::kFloat, {2, 3, 2});
  }

  // The sum, and the sum weighted by cos(0.7 i).
  void ExpectSums(const Output& y, double sum, double weighted) {
    ASSERT_TRUE(root.ok()) << root.status();
    const Operation init = GlobalVariablesInitializer(root);
    ClientSession session(root);
    ASSERT_TRUE(session.Run({init}).ok());
    const auto out = session.Run({y});
    ASSERT_TRUE(out.ok()) << out.status();
    double sums[2] = {0, 0};
    for (int64_t i = 0; i < (*out)[0].num_elements(); ++i) {
      sums[0] += (*out)[0].data<float>()[i];
      sums[1] += (*out)[0].data<float>()[i] * std::cos(i * 0.7);
    }
    EXPECT_NEAR(sums[0], sum, 5e-6);
    EXPECT_NEAR(sums[1], weighted, 5e-6);
  }

  const Scope root = Scope::NewRoot();
  const Scope v = root.VariableScope(
      "v", VariableScopeOptions().initializer(
               Initializer([](const Scope& scope, const Shape& shape, DType dtype) {
                 std::vector<float> values;
                 for (int i = 0; i < shape.num_elements(); ++i) {
                   values.push_back((i % 3 - 1) * 0.5f);
                 }
                 return Constant(scope, values, dtype, shape);
               })));
  Output x;
};

TEST_F(RawRnnTest, ALoopOfOnesOwn) {
  const RNNCellPtr cell = std::make_shared<GRUCell>(2);
  const Output lengths = Constant(root, {3, 2});
  TensorArrayOptions read_again;
  read_again.clear_after_read = false;
  const TensorArray steps =
      TensorArray(root, DType::kFloat, 3, read_again).Unstack(root, Transpose(root, x, {1, 0, 2}));
  const RawRNNResult result = RawRNN(v, cell, [&](const Scope& s, const RawMoment& now) {
    const bool begins = !now.cell_output.valid();
    RawStep next;
    next.finished = GreaterEqual(s, now.time, lengths);
    next.input = steps.Read(s, Minimum(s, now.time, 2));
    next.input.set_shape({2, 2});
    next.state = begins ? cell->ZeroState(s, Constant(s, 2), DType::kFloat) : now.cell_state;
    next.emitted = now.cell_output;
    next.loop_state = {begins ? Constant(s, 0) : Add(s, now.loop_state[0], 1)};
    return next;
  });
  const Output outputs = result.outputs.Stack(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ExpectSums(outputs, -0.3309970498, -0.0572065497);
  ExpectSums(result.state[0], -0.2334986031, 0.0261938731);
  ExpectSums(Cast(root, result.loop_state[0], DType::kFloat), 3, 3);
}

TEST_F(RawRnnTest, ResidualsAndDevices) {
  const RNNCellPtr cell = std::make_shared<ResidualWrapper>(std::make_shared<BasicRNNCell>(2));
  RNNOptions options;
  options.sequence_length(Input({3, 2}));
  ExpectSums(DynamicRNN(v.Named("res"), cell, x, options).outputs, 4.3493461609, 0.6201915994);
  const RNNCellPtr placed =
      std::make_shared<DeviceWrapper>(std::make_shared<BasicRNNCell>(2), "/cpu:0");
  const StaticRNNResult on_device =
      StaticRNN(v.Named("placed"), placed, {Zeros(root, {2, 2}, DType::kFloat)});
  ASSERT_TRUE(root.ok()) << root.status();
  EXPECT_THAT(on_device.outputs[0].op().device(), testing::HasSubstr("CPU:0"));
}

// States in variables of the graph.
class VariableStates final : public StateSaver {
 public:
  explicit VariableStates(const Scope& scope) : scope_(scope) {}
  Output State(const Scope&, const std::string& name) override {
    states_[name] = Variable(scope_.Named(name), Zeros(scope_, {2, 2}));
    return states_[name];
  }
  Operation SaveState(const Scope& scope, const std::string& name, const Output& value) override {
    return BuildOp(scope, "Assign", {states_[name], value});
  }

 private:
  const Scope scope_;
  std::map<std::string, Variable> states_;
};

TEST_F(RawRnnTest, StatesStayBetweenSteps) {
  VariableStates states(root);
  const RNNCellPtr cell = std::make_shared<BasicRNNCell>(2);
  const Output step = Constant(root, std::vector<float>{0.5f, 1, -1, 0.25f}, DType::kFloat, {2, 2});
  const StaticRNNResult saved = StaticStateSavingRNN(v, cell, {step}, states, {"h"});
  const Scope again = v.SameVariableScope(VariableScopeOptions().reuse(true));
  const StaticRNNResult at_once = StaticRNN(again, cell, {step, step});
  const Operation init = GlobalVariablesInitializer(root);
  ASSERT_TRUE(root.ok()) << root.status();
  ClientSession session(root);
  ASSERT_TRUE(session.Run({init}).ok());
  ASSERT_TRUE(session.Run({saved.outputs[0]}).ok());
  const auto second = session.Run({saved.outputs[0], at_once.outputs[1]});
  ASSERT_TRUE(second.ok()) << second.status();
  for (int i = 0; i < 4; ++i) {
    EXPECT_FLOAT_EQ((*second)[0].data<float>()[i], (*second)[1].data<float>()[i]);
  }
}

TEST_F(RawRnnTest, SaysWhatIsMissing) {
  RawRNN(v, std::make_shared<GRUCell>(2),
         [&](const Scope&, const RawMoment&) { return RawStep(); });
  EXPECT_THAT(std::string(root.status().message()),
              testing::HasSubstr("which sequences are finished"));
}

}  // namespace
}  // namespace nn
}  // namespace frontend
}  // namespace warpbeam
