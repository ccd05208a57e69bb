// Gradients through functions and functional control flow that draw random numbers and change
// state: what runs, runs once. Graphs and figures are TensorFlow's (testdata/functional_graphs.py).
#include "gmock/gmock.h"
#include "tests/gradients/graph_gradients.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class FunctionGradients : public GraphGradients {
 protected:
  FunctionGradients() {
    initializer_ = "count/Assign";
    is_random_ = true;
  }

  // Every y of functional_effects is x times random numbers: the gradient saw the same ones if it
  // is y / x.
  void ExpectSameNumbers(const std::vector<std::string>& fetches) {
    ASSERT_TRUE(StartSession().ok());
    for (Session* session : {session_.get(), on_gpu_.get()}) {
      const std::vector<Tensor> got = RunOn(*session, fetches);
      if (::testing::Test::HasFailure()) return;
      ASSERT_EQ(got[0].num_elements(), 2);
      for (int i = 0; i < 2; ++i) {
        const double x = i == 0 ? 1.5 : -0.5;
        EXPECT_NEAR(got[1].data<double>()[i] * x, got[0].data<double>()[i], 1e-12) << fetches[0];
      }
    }
  }
  int64_t Count() { return Run("count_now:0").scalar<int64_t>(); }
  int64_t NodesRun(const std::string& fetch) {
    RunMetadata metadata;
    RunAll({fetch}, {}, &metadata);
    return metadata.nodes_executed;
  }
  // The node of this op that `name` comes from.
  const Node* Above(const std::string& name, const std::string& op) {
    NodeId id = Out(name).node;
    while (graph_->node(id).op_name() != op && graph_->node(id).num_inputs() > 0) {
      id = graph_->node(id).input(0).node;
    }
    return &graph_->node(id);
  }
};

constexpr const char* kRandom[] = {"y_call",   "y_if",       "y_case",  "y_while",
                                   "y_serial", "y_branches", "y_nested"};

TEST_F(FunctionGradients, SeeTheRandomNumbersOfTheForwardPass) {
  Load("functional_effects");
  std::vector<std::string> dx;
  for (const char* y : kRandom) dx.push_back(Differentiate(y, {"x"})[0]);
  for (int round = 0; round < 3; ++round) {
    for (size_t k = 0; k < dx.size(); ++k) ExpectSameNumbers({kRandom[k], dx[k]});
  }
}

TEST_F(FunctionGradients, AnotherBranch) {
  Load("functional_effects");
  const std::string dx = Differentiate("y_if", {"x"})[0];
  for (bool taken : {true, false, true}) {
    const auto got = RunAll({"y_if", dx}, {{"p:0", Tensor::Scalar<bool>(taken)}});
    EXPECT_NEAR(got[1].data<double>()[0] * 1.5, got[0].data<double>()[0], 1e-12);
  }
  const std::string of_case = Differentiate("y_case", {"x"})[0];
  for (int32_t index : {0, 1, 2}) {
    const auto got = RunAll({"y_case", of_case}, {{"i:0", Tensor::Scalar<int32_t>(index)}});
    EXPECT_NEAR(got[1].data<double>()[0] * 1.5, got[0].data<double>()[0], 1e-12) << index;
  }
}

TEST_F(FunctionGradients, EffectsHappenOnce) {
  Load("functional_effects");
  const std::string dx = Differentiate("y_while", {"x"})[0];
  const std::string of_serial = Differentiate("y_serial", {"x"})[0];
  EXPECT_EQ(Count(), 0);
  Run(dx);
  EXPECT_EQ(Count(), 5);
  RunAll({"y_while", dx});
  EXPECT_EQ(Count(), 10);
  Run("y_while");
  EXPECT_EQ(Count(), 15);
  RunAll({of_serial, "y_serial"});
  EXPECT_EQ(Count(), 20);
}

TEST_F(FunctionGradients, ASessionThatHasRunTheForwardPassGoesOn) {
  Load("functional_effects");
  for (const char* y : kRandom) Run(y);
  const int64_t before = Count();
  for (const char* y : kRandom) ExpectSameNumbers({y, Differentiate(y, {"x"})[0]});
  EXPECT_EQ(Count(), before + 10);
  for (const char* y : kRandom) Run(y);
}

TEST_F(FunctionGradients, CostNothingWhereTheyAreNotFetched) {
  Load("functional_effects");
  std::vector<int64_t> before;
  for (const char* y : kRandom) before.push_back(NodesRun(y));
  for (const char* y : kRandom) Differentiate(y, {"x"});
  EndSession();
  for (size_t k = 0; k < before.size(); ++k) {
    EXPECT_EQ(NodesRun(kRandom[k]), before[k]) << kRandom[k];
  }
}

TEST_F(FunctionGradients, ALoopIsWidenedOnceByWhatItsGradientNeeds) {
  Load("functional_effects");
  const std::string first = Differentiate("y_while", {"x"})[0];
  const int outputs = Above("y_while", "While")->num_outputs();
  const std::string second = Differentiate("y_while", {"x"})[0];
  EXPECT_EQ(Above("y_while", "While")->num_outputs(), outputs);
  ExpectSameNumbers({"y_while", first});
  ExpectSameNumbers({"y_while", second});
}

struct Figures {
  const char* y;
  double value;
  std::vector<double> dx, dxx, dxxx;
};

TEST_F(FunctionGradients, HigherOnesAreTensorFlows) {
  is_random_ = false;
  const std::vector<Figures> all = {
      {"y_call",
       0.6505912997732732,
       {0.9535176358144097, -0.8307112136504073},
       {-0.2637685032176256, 1.1769734696878236},
       {-3.680817243828611, 5.472094157887822}},
      {"y_if",
       0.7887356333867971,
       {1.5334893838378827, -0.985195561882746},
       {1.4023515915533715, 2.192261046407003},
       {-3.2084553706558796, 1.9976832518852374}},
      {"y_while",
       0.48845161526760406,
       {3.7264641210913076, -0.10607903625889278},
       {20.631898711786583, 1.2678445701912722},
       {26.3036515451171, -14.155930499238412}},
      {"y_branches",
       1.0690645486320303,
       {1.1062529949477637, -0.20037050684736823},
       {-6.039159233179163, 1.7360317000508396},
       {}},
      {"y_rows",
       1.4480134464251408,
       {6.070850960450375, 3.2886536189888025},
       {6.094016786773013, -11.729944924516133},
       {}},
      {"y_nested",
       0.02337735120447825,
       {0.5027446705996076, -5.085713971519737e-05},
       {10.187474186447547, 0.0006773871601414311},
       {}},
  };
  Load("functional_second");
  for (const Figures& figures : all) {
    SCOPED_TRACE(figures.y);
    const std::string dx = Differentiate(figures.y, {"x"})[0];
    EXPECT_NEAR(Run(figures.y).scalar<double>(), figures.value, 1e-12);
    ExpectNear(Run(dx), Doubles(Shape({2}), figures.dx), 1e-12);
    const std::string dxx = Differentiate(dx, {"x"})[0];
    ExpectNear(Run(dxx), Doubles(Shape({2}), figures.dxx), 1e-11);
    if (figures.dxxx.empty()) continue;
    ExpectNear(Run(Differentiate(dxx, {"x"})[0]), Doubles(Shape({2}), figures.dxxx), 1e-10);
    EXPECT_NEAR(Run(figures.y).scalar<double>(), figures.value, 1e-12);
  }
}

TEST_F(FunctionGradients, OfVariablesOfLoops) {
  Load("functional_second");
  const std::vector<std::pair<const char*, double>> dw = {
      {"y_call", 0.33666448610955024}, {"y_if", 0.6067197179898439},
      {"y_while", 1.9623917581274346}, {"y_branches", 1.381692044723441},
      {"y_rows", 3.6079553112434195},  {"y_nested", 0.213242510115252}};
  for (const auto& [y, value] : dw) {
    EXPECT_NEAR(Run(Differentiate(y, {"w"})[0]).scalar<double>(), value, 1e-12) << y;
  }
}

TEST_F(FunctionGradients, InsideOfV1Loops) {
  Load("functional_inside");
  const std::string dx = Differentiate("y", {"x"})[0];
  const std::string of_noisy = Differentiate("y_noisy", {"x"})[0];
  const Tensor wanted = Differences("y", "x");
  ASSERT_NE(wanted.scalar<double>(), 0);
  ExpectNear(Run(dx), wanted, 1e-6);
  for (int round = 0; round < 3; ++round) {
    const std::vector<Tensor> got = RunAll({"y_noisy", of_noisy});
    EXPECT_NEAR(got[1].scalar<double>() * 0.7, got[0].scalar<double>(), 1e-12);
  }
}

TEST_F(FunctionGradients, WhatWouldRunTwiceIsNamed) {
  LoadText(R"(
    node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value"
           value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 3 } } } }
    node { name: "y" op: "noisy" input: "x" }
    library { function {
      signature { name: "noisy" input_arg { name: "a" type: DT_FLOAT }
                  output_arg { name: "b" type: DT_FLOAT } }
      node_def { name: "s" op: "Shape" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
      node_def { name: "u" op: "RandomUniform" input: "s:output:0"
                 attr { key: "T" value { type: DT_INT32 } }
                 attr { key: "dtype" value { type: DT_FLOAT } } }
      node_def { name: "m" op: "Mul" input: "a" input: "u:output:0"
                 attr { key: "T" value { type: DT_FLOAT } } }
      ret { key: "b" value: "m:z:0" } } })");
  const Status s = Refusal("y", "x");
  EXPECT_EQ(s.code(), StatusCode::kUnimplemented) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("node 'u' (RandomUniform"));
  EXPECT_THAT(std::string(s.message()), HasSubstr("StatefulPartitionedCall"));
}

}  // namespace
}  // namespace warpbeam
