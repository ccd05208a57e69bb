#include "gmock/gmock.h"
#include "graph/build/node_builder.h"
#include "graph/gradients/gradients.h"
#include "gtest/gtest.h"
#include "ops/launch/op_record.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using Code = StatusCode;

TEST(Timestamp, SecondsSince1970) {
  const auto first = OpRunner("Timestamp").RunOne(), second = OpRunner("Timestamp").RunOne();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GT(first->scalar<double>(), 1.6e9);
  EXPECT_LE(first->scalar<double>(), second->scalar<double>());
}

TEST(Assert, FailsWithItsData) {
  OpTest("Assert")
      .Scalar(false)
      .InputList({Tensor::Scalar<std::string>("x must be positive"), Tensor::Scalar<int32_t>(-7)})
      .ExpectError(Code::kInvalidArgument, "x must be positive");
  EXPECT_TRUE(OpRunner("Assert")
                  .Input(Tensor::Scalar(true))
                  .InputList({Tensor::Scalar<int32_t>(1)})
                  .Run()
                  .ok());
  OpTest("Abort").ExpectError(Code::kUnimplemented);
}

TEST(ToBool, EmptyAndZeroAreFalse) {
  OpTest("ToBool").Scalar<int32_t>(0).ExpectScalar(false);
  OpTest("ToBool").Scalar<float>(0.5f).ExpectScalar(true);
  OpTest("ToBool").Scalar<std::string>("").ExpectScalar(false);
  OpTest("ToBool").Input<float>({2}, {0, 0}).ExpectScalar(true);
  OpTest("ToBool").Input<float>({0}, {}).ExpectScalar(false);
}

NodeSpec Spec(std::string name, std::string op, std::vector<std::string> inputs,
              std::vector<std::pair<std::string, AttrValue>> attrs) {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.op = std::move(op);
  spec.inputs = std::move(inputs);
  for (auto& attr : attrs) spec.attrs.Set(attr.first, attr.second);
  return spec;
}

// A function float → `result` of one binary op with a constant.
std::shared_ptr<Function> WithConstant(const std::string& name, const std::string& op, float value,
                                       const std::string& result = "float") {
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder(name).Input("x: float").Output("y: " + result).Build();
  f->nodes = {Spec("c", "Const", {}, {{"value", Tensor::Scalar(value)}, {"dtype", DType::kFloat}}),
              Spec("z", op, {"x", "c:output:0"}, {{"T", DType::kFloat}})};
  f->returns = {{"y", "z:z:0"}};
  return f;
}

class ControlFlow : public ::testing::Test {
 protected:
  ControlFlow() {
    for (const auto& f : {WithConstant("twice", "Mul", 2), WithConstant("plus_one", "AddV2", 1),
                          WithConstant("below_100", "Less", 100, "bool")}) {
      EXPECT_TRUE(graph_->functions().Add(f).ok());
    }
  }
  OutputRef Placeholder(const char* name, DType dtype) {
    return Built(NodeBuilder(graph_.get(), "Placeholder").Name(name).Attr("dtype", dtype));
  }
  static OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  NodeBuilder Call(const char* op, const char* name) {
    NodeBuilder builder(graph_.get(), op);
    builder.Name(name).Attr("Tout", std::vector<DType>{DType::kFloat});
    return builder;
  }
  StatusOr<float> Run(const NamedTensors& feeds, const std::string& fetch) {
    if (session_ == nullptr) {
      WB_ASSIGN_OR_RETURN(session_, Session::Create({}, graph_));
    }
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session_->Run({}, feeds, {fetch}, {}, &out, nullptr));
    return out[0].scalar<float>();
  }
  static FunctionRef Function(const char* name) { return FunctionRef{name, {}}; }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::unique_ptr<Session> session_;
};

TEST_F(ControlFlow, SwitchAndMergeTakeOneBranch) {
  const OutputRef x = Placeholder("x", DType::kFloat), p = Placeholder("p", DType::kBool);
  const OutputRef sw = Built(NodeBuilder(graph_.get(), "Switch").Name("sw").Input(x).Input(p));
  const OutputRef neg =
      Built(NodeBuilder(graph_.get(), "Neg").Name("neg").Input(OutputRef{sw.node, 0}));
  const OutputRef square =
      Built(NodeBuilder(graph_.get(), "Square").Name("square").Input(OutputRef{sw.node, 1}));
  const OutputRef merged = Built(
      NodeBuilder(graph_.get(), "Merge").Name("merged").Input(std::vector<OutputRef>{neg, square}));
  auto grads = AddGradients(*graph_, {merged}, {x}, {});
  ASSERT_TRUE(grads.ok()) << grads.status();
  const std::string dx = graph_->node((*grads)[0].dense.node).name();
  const auto feed = [](bool p) {
    return NamedTensors{{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(p)}};
  };
  EXPECT_EQ(*Run(feed(false), "merged"), -3);
  EXPECT_EQ(*Run(feed(true), "merged"), 9);
  EXPECT_EQ(*Run(feed(false), dx), -1);
  EXPECT_EQ(*Run(feed(true), dx), 6);
  EXPECT_EQ(Run(feed(false), "square").status().code(), Code::kInvalidArgument);
}

TEST_F(ControlFlow, CallsAndBranches) {
  const OutputRef x = Placeholder("x", DType::kFloat), p = Placeholder("p", DType::kBool);
  const OutputRef i = Placeholder("i", DType::kInt32);
  Built(Call("PartitionedCall", "call").Input(NodeInput({x})).Attr("f", Function("twice")));
  Built(Call("If", "if")
            .Input(p)
            .Input(NodeInput({x}))
            .Attr("then_branch", Function("twice"))
            .Attr("else_branch", Function("plus_one")));
  Built(Call("Case", "case")
            .Input(i)
            .Input(NodeInput({x}))
            .Attr("branches", std::vector<FunctionRef>{Function("twice"), Function("plus_one")}));
  const NamedTensors feeds = {{"x", Tensor::Scalar(5.0f)}};
  EXPECT_EQ(*Run(feeds, "call"), 10);
  for (bool taken : {true, false}) {
    NamedTensors all = feeds;
    all.emplace_back("p", Tensor::Scalar(taken));
    EXPECT_EQ(*Run(all, "if"), taken ? 10 : 6);
  }
  for (int32_t index : {-1, 0, 1, 7}) {
    NamedTensors all = feeds;
    all.emplace_back("i", Tensor::Scalar(index));
    EXPECT_EQ(*Run(all, "case"), index == 0 ? 10 : 6);
  }
}

TEST_F(ControlFlow, CallsAndBranchesHaveGradients) {
  const OutputRef x = Placeholder("x", DType::kFloat), p = Placeholder("p", DType::kBool);
  const OutputRef call =
      Built(Call("PartitionedCall", "call").Input(NodeInput({x})).Attr("f", Function("twice")));
  const OutputRef branch = Built(Call("StatelessIf", "if")
                                     .Input(p)
                                     .Input(NodeInput({call}))
                                     .Attr("then_branch", Function("twice"))
                                     .Attr("else_branch", Function("plus_one")));
  auto grads = AddGradients(*graph_, {branch}, {x}, {});
  ASSERT_TRUE(grads.ok()) << grads.status();
  const OutputRef dx = (*grads)[0].dense;
  const std::string fetch = absl::StrCat(graph_->node(dx.node).name(), ":", dx.index);
  for (bool taken : {true, false}) {
    EXPECT_EQ(*Run({{"x", Tensor::Scalar(5.0f)}, {"p", Tensor::Scalar(taken)}}, fetch),
              taken ? 4 : 2);
  }
}

TEST_F(ControlFlow, WhileRunsItsBodyOften) {
  const OutputRef x = Placeholder("x", DType::kFloat);
  Built(NodeBuilder(graph_.get(), "While")
            .Name("while")
            .Input(NodeInput({x}))
            .Attr("cond", Function("below_100"))
            .Attr("body", Function("twice")));
  Built(NodeBuilder(graph_.get(), "StatelessWhile")
            .Name("count")
            .Input(NodeInput({x}))
            .Attr("cond", Function("below_100"))
            .Attr("body", Function("plus_one")));
  EXPECT_EQ(*Run({{"x", Tensor::Scalar(3.0f)}}, "while"), 192);
  EXPECT_EQ(*Run({{"x", Tensor::Scalar(200.0f)}}, "while"), 200);
  EXPECT_EQ(*Run({{"x", Tensor::Scalar(-10000.0f)}}, "count"), 100);
}

// Where the graph asks for Switch and Merge a vector is no condition, else one that holds anything.
TEST_F(ControlFlow, AVectorIsNoConditionOfASwitch) {
  const OutputRef x = Placeholder("x", DType::kFloat), p = Placeholder("p", DType::kBool);
  Built(NodeBuilder(graph_.get(), "While")
            .Name("while")
            .Input(NodeInput({x}))
            .Attr("cond", Function("below_100"))
            .Attr("body", Function("twice"))
            .Attr("_lower_using_switch_merge", true));
  for (bool switches : {false, true}) {
    Built(NodeBuilder(graph_.get(), "If")
              .Name(switches ? "if_by_switch" : "if")
              .Input(p)
              .Input(NodeInput({x}))
              .Attr("Tout", std::vector<DType>{DType::kFloat})
              .Attr("then_branch", Function("twice"))
              .Attr("else_branch", Function("plus_one"))
              .Attr("_lower_using_switch_merge", switches));
  }
  EXPECT_EQ(*Run({{"x", Tensor::Scalar(3.0f)}}, "while"), 192);
  EXPECT_EQ(Run({{"x", Tensor::Vector<float>({200})}}, "while").status().code(),
            Code::kInvalidArgument);
  const NamedTensors feeds = {{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Vector<bool>({true})}};
  EXPECT_EQ(*Run(feeds, "if"), 6);
  EXPECT_EQ(Run(feeds, "if_by_switch").status().code(), Code::kInvalidArgument);
}

TEST_F(ControlFlow, AnEndlessWhileMeetsItsDeadline) {
  const OutputRef x = Placeholder("x", DType::kFloat);
  for (const char* op : {"While", "StatelessWhile"}) {
    Built(NodeBuilder(graph_.get(), op)
              .Name(op)
              .Input(NodeInput({x}))
              .Attr("cond", Function("below_100"))
              .Attr("body", Function("twice")));
  }
  for (const char* passes : {"default", "none"}) {
    SessionOptions options;
    options.passes = passes;
    auto session = Session::Create(options, graph_);
    ASSERT_TRUE(session.ok()) << session.status();
    for (const char* op : {"While", "StatelessWhile"}) {
      RunOptions run;
      run.timeout_ms = 50;
      const NamedTensors zero = {{"x", Tensor::Scalar(0.0f)}};
      std::vector<Tensor> out;
      const Status late = (*session)->Run(run, zero, {op}, {}, &out, nullptr);
      EXPECT_EQ(late.code(), Code::kDeadlineExceeded) << late;
      EXPECT_THAT(std::string(late.message()), HasSubstr(op));
      const NamedTensors three = {{"x", Tensor::Scalar(3.0f)}};
      ASSERT_TRUE((*session)->Run({}, three, {op}, {}, &out, nullptr).ok());
      EXPECT_EQ(out[0].scalar<float>(), 192);
    }
  }
}

TEST_F(ControlFlow, AFunctionThatCallsItselfForEverIsStopped) {
  auto f = std::make_shared<warpbeam::Function>();
  f->signature = *OpSchemaBuilder("endless").Input("x: float").Output("y: float").Build();
  const std::vector<DType> types = {DType::kFloat};
  f->nodes = {Spec("again", "PartitionedCall", {"x"},
                   {{"Tin", types}, {"Tout", types}, {"f", Function("endless")}})};
  f->returns = {{"y", "again:output:0"}};
  ASSERT_TRUE(graph_->functions().Add(f).ok());
  const OutputRef x = Placeholder("x", DType::kFloat);
  Built(Call("PartitionedCall", "call").Input(NodeInput({x})).Attr("f", Function("endless")));
  const Status s = Run({{"x", Tensor::Scalar(1.0f)}}, "call").status();
  EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  EXPECT_THAT(std::string(s.message()), HasSubstr("endless"));
}

TEST_F(ControlFlow, TheChainOfCallsIsTold) {
  const std::vector<DType> types = {DType::kFloat};
  for (const auto& [name, next] :
       std::vector<std::pair<std::string, std::string>>{{"ping", "pong"}, {"pong", "ping"}}) {
    auto f = std::make_shared<warpbeam::Function>();
    f->signature = *OpSchemaBuilder(name).Input("x: float").Output("y: float").Build();
    f->nodes = {Spec("to_" + next, "PartitionedCall", {"x"},
                     {{"Tin", types}, {"Tout", types}, {"f", FunctionRef{next, {}}}})};
    f->returns = {{"y", "to_" + next + ":output:0"}};
    ASSERT_TRUE(graph_->functions().Add(f).ok());
  }
  const OutputRef x = Placeholder("x", DType::kFloat);
  Built(Call("PartitionedCall", "call").Input(NodeInput({x})).Attr("f", Function("ping")));
  const Status s = Run({{"x", Tensor::Scalar(1.0f)}}, "call").status();
  EXPECT_EQ(s.code(), Code::kResourceExhausted) << s;
  const std::string message(s.message());
  EXPECT_THAT(message, HasSubstr("node 'call' (PartitionedCall)"));
  // Whichever of the two is the last.
  EXPECT_THAT(message,
              AnyOf(HasSubstr("'pong' calls 'ping' calls 'pong'; a function that calls itself"),
                    HasSubstr("'ping' calls 'pong' calls 'ping'; a function that calls itself")));
  EXPECT_LT(message.size(), 4000u);
}

TEST_F(ControlFlow, SignaturesMustFitTheNode) {
  const OutputRef x = Placeholder("x", DType::kFloat), p = Placeholder("p", DType::kBool);
  Built(Call("If", "if")
            .Input(p)
            .Input(NodeInput({x}))
            .Attr("then_branch", Function("twice"))
            .Attr("else_branch", Function("below_100")));
  Built(Call("If", "two")
            .Input(p)
            .Input(NodeInput({x, x}))
            .Attr("then_branch", Function("twice"))
            .Attr("else_branch", Function("twice")));
  Built(NodeBuilder(graph_.get(), "While")
            .Name("while")
            .Input(NodeInput({x}))
            .Attr("cond", Function("below_100"))
            .Attr("body", Function("below_100")));
  const NamedTensors feeds = {{"x", Tensor::Scalar(1.0f)}, {"p", Tensor::Scalar(true)}};
  const auto message = [&](const char* fetch) {
    const Status s = Run(feeds, fetch).status();
    EXPECT_EQ(s.code(), Code::kInvalidArgument) << s;
    return std::string(s.message());
  };
  const std::string branches = message("if");
  EXPECT_THAT(branches, HasSubstr("node 'if' (If)"));
  EXPECT_THAT(branches, HasSubstr("'below_100' ('else_branch') returns (bool) where the node asks "
                                  "for (float)"));
  EXPECT_THAT(message("two"), HasSubstr("'twice' ('then_branch') takes (float) where the node asks "
                                        "for (float, float)"));
  EXPECT_THAT(message("while"), HasSubstr("'below_100' ('body') returns (bool)"));
}

// In TensorFlow's words, which programs look for.
TEST_F(ControlFlow, LoopsSayHowManyValuesAFunctionReturns) {
  const auto pair = WithConstant("pair", "Mul", 2);
  pair->signature =
      *OpSchemaBuilder("pair").Input("x: float").Output("y: float").Output("again: float").Build();
  pair->returns = {{"y", "z:z:0"}, {"again", "z:z:0"}};
  ASSERT_TRUE(graph_->functions().Add(pair).ok());
  const OutputRef x = Placeholder("x", DType::kFloat);
  const auto loop = [&](const char* name, const char* cond, const char* body) {
    Built(NodeBuilder(graph_.get(), "While")
              .Name(name)
              .Input(NodeInput({x}))
              .Attr("cond", Function(cond))
              .Attr("body", Function(body)));
  };
  loop("cond", "pair", "twice");
  loop("body", "below_100", "pair");
  const NamedTensors feeds = {{"x", Tensor::Scalar(1.0f)}};
  EXPECT_THAT(std::string(Run(feeds, "cond").status().message()),
              HasSubstr("Expected a single scalar of the condition, got 2 tensors."));
  EXPECT_THAT(std::string(Run(feeds, "body").status().message()),
              HasSubstr("While loop body returned 2 arguments. Expected: 1"));
}

TEST_F(ControlFlow, AnUnknownFunctionIsNamed) {
  const OutputRef x = Placeholder("x", DType::kFloat);
  Built(Call("PartitionedCall", "call").Input(NodeInput({x})).Attr("f", Function("nowhere")));
  EXPECT_THAT(std::string(Run({{"x", Tensor::Scalar(1.0f)}}, "call").status().message()),
              HasSubstr("nowhere"));
}

}  // namespace
}  // namespace warpbeam
