// Gradients of loops and branches that TensorFlow wrote down, against tf.gradients' figures and
// central differences; what cannot be differentiated says so.
#include <cmath>

#include "gmock/gmock.h"
#include "tests/gradients/graph_gradients.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class ControlFlowGradient : public GraphGradients {};

TEST_F(ControlFlowGradient, LoopsInLoopsWithBranchesAndInvariants) {
  Load("nested_loops");
  const std::vector<std::string> dx = Differentiate("y", {"x", "w", "k"});
  EXPECT_NEAR(Run("y:0").scalar<double>(), 7.253167795576573, 1e-12);
  for (int round = 0; round < 3; ++round) {  // what a step leaves on stacks is its own
    ExpectNear(Run(dx[0]), Doubles(Shape({2}), {10.798810330949651, 5.582799077694825}), 1e-12);
    ExpectNear(Run(dx[1]),
               Doubles(Shape({2, 2}), {17.49315840666748, -7.907513708654268, 3.1147771366931574,
                                       -0.9777713663023403}),
               1e-12);
    ExpectNear(Run(dx[2]), Doubles(Shape(), {14.872149271672768}), 1e-12);
  }
  ExpectNear(Run(dx[0]), Differences("y", "x"), 1e-6);
  ExpectNear(Run(dx[1]), Differences("y", "w"), 1e-6);
}

TEST_F(ControlFlowGradient, ALoopInABranch) {
  Load("loop_in_cond");
  const std::vector<std::string> dx = Differentiate("y", {"x"});
  ExpectNear(Run(dx[0]), Doubles(Shape(), {68.42092037200928}), 1e-12);
  ExpectNear(Run(dx[0], {{"p:0", Tensor::Scalar<bool>(false)}}),
             Doubles(Shape(), {3 * std::exp(0.75)}), 1e-12);
}

TEST_F(ControlFlowGradient, RowsOfAnInvariantAndAVariableThatGrows) {
  Load("rows_and_growth");
  auto made = AddGradients(*graph_, {Out("y")}, {Out("t")});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE((*made)[0].is_slices());
  const std::vector<std::string> dx = Differentiate("y", {"t", "z"});
  ExpectNear(Run(dx[0]), Doubles(Shape({3, 2}), {4068, 5812, 446, 892, 134, 268}), 1e-12);
  ExpectNear(Run(dx[1]), Doubles(Shape({2, 2}), {2590, 3752, 1162, 2324}), 1e-12);
}

TEST_F(ControlFlowGradient, FunctionalLoopsAndBranchesThatReadAVariable) {
  Load("functional_while");
  const std::vector<std::string> dx = Differentiate("y", {"x", "k", "w"});
  EXPECT_NEAR(Run("y:0").scalar<double>(), 9.076709323376598, 1e-12);
  ExpectNear(Run(dx[0]), Doubles(Shape({2}), {25.046349468346648, 5.0801299744438175}), 1e-12);
  ExpectNear(Run(dx[1]), Doubles(Shape(), {47.64384129520737}), 1e-12);
  ExpectNear(Run(dx[2]),
             Doubles(Shape({2, 2}), {33.22792026763179, 2.7129423185235684, -6.616069424066601,
                                     2.874748858049892}),
             1e-12);
}

constexpr char kSquareCalls[] = R"(
    node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_DOUBLE } } attr { key: "value"
           value { tensor { dtype: DT_DOUBLE tensor_shape {} double_val: 3 } } } }
    node { name: "dy" op: "Const" attr { key: "dtype" value { type: DT_DOUBLE } } attr { key: "value"
           value { tensor { dtype: DT_DOUBLE tensor_shape {} double_val: 5 } } } }
    node { name: "y" op: "square" input: "x" }
    node { name: "dx" op: "SymbolicGradient" input: "x" input: "dy"
           attr { key: "Tin" value { list { type: DT_DOUBLE type: DT_DOUBLE } } }
           attr { key: "Tout" value { list { type: DT_DOUBLE } } }
           attr { key: "f" value { func { name: "square" } } } }
    library {
      function {
        signature { name: "square" input_arg { name: "a" type: DT_DOUBLE }
                    output_arg { name: "b" type: DT_DOUBLE } }
        node_def { name: "m" op: "Mul" input: "a" input: "a"
                   attr { key: "T" value { type: DT_DOUBLE } } }
        ret { key: "b" value: "m:z:0" }
      }
      function {
        signature { name: "own" input_arg { name: "a" type: DT_DOUBLE }
                    input_arg { name: "db" type: DT_DOUBLE }
                    output_arg { name: "da" type: DT_DOUBLE } }
        node_def { name: "s" op: "Sub" input: "db" input: "a"
                   attr { key: "T" value { type: DT_DOUBLE } } }
        ret { key: "da" value: "s:z:0" }
      }
      )";

TEST_F(ControlFlowGradient, SymbolicGradientDifferentiatesWhenItIsCalled) {
  LoadText(absl::StrCat(kSquareCalls, "}"));
  ExpectNear(Run("dx:0"), Doubles(Shape(), {30}), 0);
  ExpectNear(Run("y:0"), Doubles(Shape(), {9}), 0);
}

TEST_F(ControlFlowGradient, AGradientThatTheLibraryGivesIsUsed) {
  LoadText(
      absl::StrCat(kSquareCalls, "gradient { function_name: 'square' gradient_func: 'own' } }"));
  ExpectNear(Run("dx:0"), Doubles(Shape(), {2}), 0);
  GradientOptions options;
  options.grad_ys = {GradientValue::Dense(Out("dy"))};
  EndSession();
  ExpectNear(Run(Differentiate("y", {"x"}, options)[0]), Doubles(Shape(), {2}), 0);
}

TEST_F(ControlFlowGradient, AGradientOfTooManyResultsIsRefused) {
  LoadText(absl::StrCat(kSquareCalls, R"(
      function {
        signature { name: "two" input_arg { name: "a" type: DT_DOUBLE }
                    input_arg { name: "db" type: DT_DOUBLE }
                    output_arg { name: "da" type: DT_DOUBLE }
                    output_arg { name: "dc" type: DT_DOUBLE } }
        node_def { name: "s" op: "Sub" input: "db" input: "a"
                   attr { key: "T" value { type: DT_DOUBLE } } }
        ret { key: "da" value: "s:z:0" }
        ret { key: "dc" value: "s:z:0" }
      }
      gradient { function_name: 'square' gradient_func: 'two' } })"));
  ASSERT_TRUE(StartSession().ok());
  std::vector<Tensor> out;
  const Status status = session_->Run({}, {}, {"dx:0"}, {}, &out);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("SymGrad expects to return 1 tensor(s), but get 2 instead"));
}

TEST_F(ControlFlowGradient, WhatIsStoppedCountsAsAConstant) {
  Load("nested_loops");
  GradientOptions options;
  options.stop_gradients = {Out("k")};
  const std::vector<std::string> dx = Differentiate("y", {"x", "w"}, options);
  ExpectNear(Run(dx[0]), Doubles(Shape({2}), {10.798810330949651, 5.582799077694825}), 1e-12);
  options.stop_gradients = {Out("outer/Exit_1"), Out("outer/Exit_2")};
  EXPECT_EQ(Differentiate("y", {"x"}, options)[0], "");
}

TEST_F(ControlFlowGradient, NodesGoBesideTheForwardOnes) {
  Load("loop_in_cond");
  GradientOptions options;
  options.colocate = true;
  const std::vector<std::string> dx = Differentiate("y", {"x"}, options);
  ExpectNear(Run(dx[0]), Doubles(Shape(), {68.42092037200928}), 1e-12);
  int stacks = 0;
  for (const Node& node : graph_->nodes()) {
    if (node.op_name() != "StackPopV2") continue;
    ++stacks;
    EXPECT_FALSE(node.attrs().GetOr<std::vector<std::string>>("_class", {}).empty());
  }
  EXPECT_GT(stacks, 0);
}

TEST_F(ControlFlowGradient, SecondDerivativesOfLoopsAreRefused) {
  Load("loop_in_cond");
  const std::string dx = Differentiate("y", {"x"})[0];
  const Status s = Refusal(dx.substr(0, dx.find(':')), "x");
  EXPECT_EQ(s.code(), StatusCode::kUnimplemented) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("second derivatives of v1 loops"));
}

TEST_F(ControlFlowGradient, TensorsInsideALoopHaveNoGradient) {
  Load("nested_loops");
  const Status s = Refusal("y", "outer/Tanh");
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("is inside the loop"));
}

TEST_F(ControlFlowGradient, MalformedLoopsAreNamed) {
  // An Exit that takes the body's value rather than the variable's last one.
  LoadText(R"(
    node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
           attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
    node { name: "in" op: "Enter" input: "x" attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "frame_name" value { s: "loop" } } }
    node { name: "m" op: "Merge" input: "in" input: "next" attr { key: "T" value { type: DT_FLOAT } }
           attr { key: "N" value { i: 2 } } }
    node { name: "less" op: "Less" input: "m" input: "m" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "cond" op: "LoopCond" input: "less" }
    node { name: "s" op: "Switch" input: "m" input: "cond" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "twice" op: "Mul" input: "s:1" input: "s:1" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "next" op: "NextIteration" input: "twice" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "y" op: "Exit" input: "twice" attr { key: "T" value { type: DT_FLOAT } } })");
  const Status s = Refusal("y", "x");
  EXPECT_EQ(s.code(), StatusCode::kInvalidArgument) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("node 'y' (Exit"));
}

}  // namespace
}  // namespace warpbeam
