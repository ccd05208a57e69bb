// Calls of library functions that become the functions' nodes: the same results, in the same order
// of effects, with fewer calls.
#include <algorithm>
#include <cmath>

#include "graph/build/node_builder.h"
#include "graph/graph.h"
#include "gtest/gtest.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace {

NodeSpec Spec(std::string name, std::string op, std::vector<std::string> inputs,
              std::vector<std::pair<std::string, AttrValue>> attrs = {}) {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.op = std::move(op);
  spec.inputs = std::move(inputs);
  for (auto& attr : attrs) spec.attrs.Set(attr.first, attr.second);
  return spec;
}

AttrValue Types(std::vector<DType> types) { return types; }
FunctionRef Ref(const std::string& name) { return FunctionRef{name, {}}; }
const std::pair<std::string, AttrValue> kT = {"T", DType::kFloat};

class Inline : public ::testing::Test {
 protected:
  struct Outcome {
    std::vector<float> values;  // of fetches that are scalars
    std::vector<std::string> ran;
  };

  Function& Define(const std::string& name, const std::string& input, const std::string& output) {
    auto f = std::make_shared<Function>();
    OpSchemaBuilder builder(name);
    if (!input.empty()) builder.Input(input);
    if (!output.empty()) builder.Output(output);
    f->signature = *builder.Build();
    EXPECT_TRUE(graph_->functions().Add(f).ok());
    return *f;
  }
  // y = x * x + 1
  void DefineSquareAndOne() {
    Function& f = Define("square_and_one", "x: float", "y: float");
    f.nodes = {Spec("one", "Const", {}, {{"value", Tensor::Scalar(1.0f)}, {"dtype", kT.second}}),
               Spec("product", "Mul", {"x", "x"}, {kT}),
               Spec("sum", "AddV2", {"product:z:0", "one:output:0"}, {kT})};
    f.returns = {{"y", "sum:z:0"}};
  }
  OutputRef Built(NodeBuilder& builder) {
    auto made = builder.BuildOutput();
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : OutputRef();
  }
  OutputRef Scalar(const std::string& name, float value) {
    return Built(NodeBuilder(graph_.get(), "Const")
                     .Name(name)
                     .Attr("value", Tensor::Scalar(value))
                     .Attr("dtype", DType::kFloat));
  }
  OutputRef Placeholder(const std::string& name) {
    return Built(NodeBuilder(graph_.get(), "Placeholder").Name(name).Attr("dtype", DType::kFloat));
  }
  OutputRef Call(const std::string& name, const std::string& function,
                 const std::vector<OutputRef>& args, std::vector<NodeId> controls = {},
                 const std::string& op = "StatefulPartitionedCall", int outputs = 1) {
    std::vector<DType> types;
    for (const OutputRef& arg : args) {
      types.push_back(BaseType(graph_->node(arg.node).output_type(arg.index)));
    }
    NodeSpec spec = Spec(name, op, {},
                         {{"Tin", Types(types)},
                          {"Tout", Types(std::vector<DType>(outputs, DType::kFloat))},
                          {"f", Ref(function)}});
    auto node = graph_->AddNode(std::move(spec), args, std::move(controls));
    EXPECT_TRUE(node.ok()) << node.status();
    return {node.ok() ? (*node)->id() : 0, 0};
  }

  StatusOr<Outcome> Run(const std::string& passes, const NamedTensors& feeds,
                        const std::vector<std::string>& fetches,
                        const std::vector<std::string>& targets, int steps) {
    SessionOptions options;
    options.passes = passes;
    options.cpu_devices = 2;
    options.simulated_gpus = 1;
    WB_ASSIGN_OR_RETURN(auto session, Session::Create(options, graph_));
    for (const std::string& init : initializers_) {
      WB_RETURN_IF_ERROR(session->Run({}, {}, {}, {init}, nullptr));
    }
    Outcome outcome;
    std::vector<Tensor> fetched;
    RunMetadata metadata;
    RunOptions run;
    run.trace = TraceLevel::kSoftware;
    for (int i = 0; i < steps; ++i) {
      WB_RETURN_IF_ERROR(session->Run(run, feeds, fetches, targets, &fetched, &metadata));
    }
    for (const Tensor& t : fetched) outcome.values.push_back(t.scalar<float>());
    for (const NodeStats& node : metadata.step_stats.nodes) outcome.ran.emplace_back(node.node);
    return outcome;
  }
  // With and without inlining: the same values; returns the outcome with it.
  Outcome ExpectSame(const NamedTensors& feeds, const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets = {}, int steps = 1) {
    const auto plain = Run("none", feeds, fetches, targets, steps);
    EXPECT_TRUE(plain.ok()) << plain.status();
    Outcome last;
    for (const char* passes : {"default", "inline"}) {
      const auto outcome = Run(passes, feeds, fetches, targets, steps);
      EXPECT_TRUE(outcome.ok()) << passes << ": " << outcome.status();
      if (!outcome.ok() || !plain.ok()) return {};
      EXPECT_EQ(outcome->values, plain->values) << passes;
      last = *outcome;
    }
    return last;
  }
  static bool Has(const Outcome& outcome, const std::string& name) {
    return std::find(outcome.ran.begin(), outcome.ran.end(), name) != outcome.ran.end();
  }

  // A resource variable that starts at `value`.
  OutputRef Variable(const std::string& name, float value) {
    const OutputRef handle = Built(NodeBuilder(graph_.get(), "VarHandleOp")
                                       .Name(name)
                                       .Attr("dtype", DType::kFloat)
                                       .Attr("shape", PartialShape(std::vector<int64_t>{}))
                                       .Attr("shared_name", name));
    auto assign =
        graph_->AddNode(Spec(name + "/Assign", "AssignVariableOp", {}, {{"dtype", DType::kFloat}}),
                        {handle, Scalar(name + "/initial", value)}, {});
    EXPECT_TRUE(assign.ok()) << assign.status();
    initializers_.push_back(name + "/Assign");
    return handle;
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::string> initializers_;
};

TEST_F(Inline, ACallBecomesItsNodes) {
  DefineSquareAndOne();
  const OutputRef x = Placeholder("x");
  Call("call", "square_and_one", {x});
  const Outcome run = ExpectSame({{"x", Tensor::Scalar(3.0f)}}, {"call"});
  EXPECT_EQ(run.values[0], 10);
  EXPECT_TRUE(Has(run, "call/product"));
  EXPECT_FALSE(Has(run, "call"));
}

TEST_F(Inline, CallsInBodiesToo) {
  DefineSquareAndOne();
  Function& f = Define("both", "x: float", "y: float");
  f.nodes = {Spec("a", "square_and_one", {"x"}), Spec("b", "PartitionedCall", {"a:y:0"},
                                                      {{"Tin", Types({DType::kFloat})},
                                                       {"Tout", Types({DType::kFloat})},
                                                       {"f", Ref("square_and_one")}})};
  f.returns = {{"y", "b:output:0"}};
  Call("call", "both", {Placeholder("x")});
  const Outcome run = ExpectSame({{"x", Tensor::Scalar(2.0f)}}, {"call"});
  EXPECT_EQ(run.values[0], 26);
  EXPECT_TRUE(Has(run, "call/a/product"));
  EXPECT_TRUE(Has(run, "call/b/sum"));
}

// Calls that differ where a printed attribute would have been cut off.
TEST_F(Inline, CallsAreToldApartByEveryBit) {
  const auto define = [&](const char* name, const char* attr) -> Function& {
    auto f = std::make_shared<Function>();
    f->signature = *OpSchemaBuilder(name).Input("x: float").Output("y: float").Attr(attr).Build();
    EXPECT_TRUE(graph_->functions().Add(f).ok());
    return *f;
  };
  Function& scaled = define("scaled", "slope: float");
  scaled.nodes = {
      Spec("leaky", "LeakyRelu", {"x"}, {kT, {"alpha", AttrValue::Placeholder("slope")}})};
  scaled.returns = {{"y", "leaky:activations:0"}};
  Function& constant = define("constant", "value: tensor");
  constant.nodes = {Spec("value", "Const", {},
                         {{"value", AttrValue::Placeholder("value")}, {"dtype", kT.second}}),
                    Spec("loss", "L2Loss", {"value:output:0"}, {kT}),
                    Spec("sum", "AddV2", {"x", "loss:output:0"}, {kT})};
  constant.returns = {{"y", "sum:z:0"}};
  const OutputRef x = Placeholder("x");
  const auto call = [&](const std::string& name, FunctionRef function) {
    NodeSpec spec = Spec(name, "StatefulPartitionedCall", {},
                         {{"Tin", Types({DType::kFloat})},
                          {"Tout", Types({DType::kFloat})},
                          {"f", std::move(function)}});
    const auto node = graph_->AddNode(std::move(spec), {x}, {});
    EXPECT_TRUE(node.ok()) << node.status();
  };
  const auto with = [](const char* name, const char* attr, AttrValue value) {
    FunctionRef ref{name, {}};
    ref.attrs.Set(attr, std::move(value));
    return ref;
  };
  const float slopes[] = {0.12345678f, 0.12345679f, 0.0f, -0.0f};
  for (int i = 0; i < 4; ++i) {
    call(absl::StrCat("scaled", i), with("scaled", "slope", slopes[i]));
  }
  for (const float last : {1.0f, 3.0f}) {
    std::vector<float> values(20, 0.0f);
    values.back() = last;
    call(absl::StrCat("constant", last), with("constant", "value", Tensor::Vector<float>(values)));
  }
  const Outcome run =
      ExpectSame({{"x", Tensor::Scalar(-1.0f)}},
                 {"scaled0", "scaled1", "scaled2", "scaled3", "constant1", "constant3"});
  EXPECT_EQ(run.values, (std::vector<float>{-slopes[0], -slopes[1], 0, 0, -0.5f, 3.5f}));
  EXPECT_TRUE(std::signbit(run.values[2]));
  EXPECT_FALSE(std::signbit(run.values[3]));
}

TEST_F(Inline, NamesThatAreTakenAreLeftAlone) {
  DefineSquareAndOne();
  const OutputRef x = Placeholder("x");
  Built(NodeBuilder(graph_.get(), "Neg").Name("call/product").Input(x));
  Call("call", "square_and_one", {x});
  const Outcome run = ExpectSame({{"x", Tensor::Scalar(3.0f)}}, {"call", "call/product"});
  EXPECT_EQ(run.values, (std::vector<float>{10, -3}));
}

// The names of all calls around a node would take memory by the square of their number.
TEST_F(Inline, NamesOfDeepCallsLoseTheirMiddle) {
  DefineSquareAndOne();
  constexpr int kCalls = 100;
  for (int i = 0; i < kCalls; ++i) {
    Function& f = Define(absl::StrCat("f", i), "x: float", "y: float");
    f.nodes = {Spec("half", "Mul", {"x", "c:output:0"}, {kT}),
               Spec("c", "Const", {}, {{"value", Tensor::Scalar(0.5f)}, {"dtype", kT.second}}),
               Spec("a_call_of_the_next",
                    i + 1 < kCalls ? absl::StrCat("f", i + 1) : std::string("square_and_one"),
                    {"half:z:0"})};
    f.returns = {{"y", "a_call_of_the_next:y:0"}};
  }
  Call("call", "f0", {Placeholder("x")});
  const Outcome run = ExpectSame({{"x", Tensor::Scalar(std::ldexp(3.0f, kCalls))}}, {"call"});
  EXPECT_EQ(run.values[0], 10);
  EXPECT_TRUE(Has(run, "call/a_call_of_the_next/half"));
  EXPECT_GT(run.ran.size(), kCalls);
  for (const std::string& name : run.ran) EXPECT_LE(name.size(), 450) << name;
}

// The body adds to the variable that the caller reads before and after the call.
TEST_F(Inline, EffectsKeepTheirOrder) {
  const OutputRef v = Variable("v", 5);
  const auto read = [&](const std::string& name, std::vector<NodeId> controls) {
    auto node = graph_->AddNode(Spec(name, "ReadVariableOp", {}, {{"dtype", DType::kFloat}}), {v},
                                std::move(controls));
    EXPECT_TRUE(node.ok()) << node.status();
    return OutputRef{(*node)->id(), 0};
  };
  Function& f = Define("add_two", "v: resource", "y: float");
  // The result does not depend on what is added; `unused` is the caller's own reading.
  f.signature = *OpSchemaBuilder("add_two")
                     .Input("v: resource")
                     .Input("unused: float")
                     .Output("y: float")
                     .Build();
  f.nodes = {Spec("two", "Const", {}, {{"value", Tensor::Scalar(2.0f)}, {"dtype", kT.second}}),
             Spec("add", "AssignAddVariableOp", {"v", "two:output:0"}, {{"dtype", DType::kFloat}}),
             Spec("again", "AssignAddVariableOp", {"v", "two:output:0", "^add"},
                  {{"dtype", DType::kFloat}})};
  f.returns = {{"y", "two:output:0"}};
  const OutputRef before = read("before", {});
  const OutputRef call = Call("call", "add_two", {v, before});
  read("after", {call.node});
  const Outcome run = ExpectSame({}, {"before", "call", "after"}, {}, 2);
  EXPECT_EQ(run.values, (std::vector<float>{9, 2, 13}));
  EXPECT_TRUE(Has(run, "call/add"));
  // The effects happen for a target, too, and for a fetch that is no effect's.
  EXPECT_EQ(ExpectSame({}, {"call"}, {}, 3).values[0], 2);
  EXPECT_TRUE(Has(ExpectSame({}, {}, {"call"}), "call/again"));
}

TEST_F(Inline, AReferenceIsReadOnce) {
  const OutputRef v = Built(NodeBuilder(graph_.get(), "VariableV2")
                                .Name("v")
                                .Attr("dtype", DType::kFloat)
                                .Attr("shape", PartialShape(std::vector<int64_t>{})));
  Built(NodeBuilder(graph_.get(), "Assign").Name("v/init").Input(v).Input(Scalar("four", 4)));
  initializers_.push_back("v/init");
  DefineSquareAndOne();
  const OutputRef call = Call("call", "square_and_one", {v});
  auto add =
      graph_->AddNode(Spec("add", "AssignAdd", {}, {kT}), {v, Scalar("two", 2)}, {call.node});
  ASSERT_TRUE(add.ok()) << add.status();
  EXPECT_EQ(ExpectSame({}, {"call", "add"}, {}, 2).values, (std::vector<float>{37, 8}));
}

TEST_F(Inline, WhatACallWaitedForComesFirst) {
  const OutputRef v = Variable("v", 1);
  auto set = graph_->AddNode(Spec("set", "AssignVariableOp", {}, {{"dtype", DType::kFloat}}),
                             {v, Scalar("seven", 7)}, {});
  ASSERT_TRUE(set.ok());
  Function& f = Define("read", "v: resource", "y: float");
  f.nodes = {Spec("value", "ReadVariableOp", {"v"}, {{"dtype", DType::kFloat}})};
  f.returns = {{"y", "value:value:0"}};
  Call("call", "read", {v}, {(*set)->id()});
  EXPECT_EQ(ExpectSame({}, {"call"}).values[0], 7);
  // A result that is an argument waits, too.
  Function& same = Define("same", "v: float", "y: float");
  same.returns = {{"y", "v"}};
  const OutputRef handed = Call("handed", "same", {Scalar("three", 3)}, {(*set)->id()});
  auto after = graph_->AddNode(Spec("after", "ReadVariableOp", {}, {{"dtype", DType::kFloat}}), {v},
                               {handed.node});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(ExpectSame({}, {"handed", "after"}).values, (std::vector<float>{3, 7}));
}

// Many effects wait for one node that waits for all that the call waits for.
TEST_F(Inline, EdgesDoNotMultiply) {
  const OutputRef v = Variable("v", 1);
  auto set = graph_->AddNode(Spec("set", "AssignVariableOp", {}, {{"dtype", DType::kFloat}}),
                             {v, Scalar("seven", 7)}, {});
  ASSERT_TRUE(set.ok());
  Function& f = Define("read_often", "v: resource", "y: float");
  f.signature = *OpSchemaBuilder("read_often")
                     .Input("v: resource")
                     .Input("before: float")
                     .Output("y: float")
                     .Build();
  f.nodes = {Spec("a", "ReadVariableOp", {"v"}, {{"dtype", DType::kFloat}}),
             Spec("b", "ReadVariableOp", {"v"}, {{"dtype", DType::kFloat}}),
             Spec("c", "ReadVariableOp", {"v"}, {{"dtype", DType::kFloat}}),
             Spec("all", "AddN", {"a:value:0", "b:value:0", "c:value:0"}, {kT, {"N", int64_t{3}}})};
  f.returns = {{"y", "all:sum:0"}};
  auto before =
      graph_->AddNode(Spec("before", "ReadVariableOp", {}, {{"dtype", DType::kFloat}}), {v}, {});
  ASSERT_TRUE(before.ok());
  ASSERT_TRUE(graph_->AddControlInput((*set)->id(), (*before)->id()).ok());
  Call("call", "read_often", {v, {(*before)->id(), 0}}, {(*set)->id()});
  const Outcome run = ExpectSame({}, {"call", "before"});
  EXPECT_EQ(run.values, (std::vector<float>{21, 1}));
  EXPECT_TRUE(Has(run, "call/start"));
}

// Effects wait for the call's arguments, but a fed placeholder is no node that runs.
TEST_F(Inline, FedArgumentsAreNotWaitedFor) {
  const OutputRef v = Variable("v", 1);
  Function& f = Define("set", "v: resource", "y: float");
  f.signature =
      *OpSchemaBuilder("set").Input("v: resource").Input("x: float").Output("y: float").Build();
  f.nodes = {Spec("assign", "AssignVariableOp", {"v", "x"}, {{"dtype", DType::kFloat}}),
             Spec("value", "ReadVariableOp", {"v", "^assign"}, {{"dtype", DType::kFloat}})};
  f.returns = {{"y", "value:value:0"}};
  const OutputRef call = Call("call", "set", {v, Placeholder("x")});
  auto after = graph_->AddNode(Spec("after", "ReadVariableOp", {}, {{"dtype", DType::kFloat}}), {v},
                               {call.node});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(ExpectSame({{"x", Tensor::Scalar(8.0f)}}, {"call", "after"}).values,
            (std::vector<float>{8, 8}));
  Function& same = Define("same", "v: float", "y: float");
  same.returns = {{"y", "v"}};
  const OutputRef handed = Call("handed", "same", {Placeholder("z")});
  auto last =
      graph_->AddNode(Spec("last", "Identity", {}, {kT}), {Scalar("two", 2)}, {handed.node});
  ASSERT_TRUE(last.ok());
  EXPECT_EQ(ExpectSame({{"z", Tensor::Scalar(3.0f)}}, {"last"}).values[0], 2);
}

TEST_F(Inline, ABodyMaySpanDevices) {
  Function& f = Define("spread", "x: float", "y: float");
  f.nodes = {Spec("there", "Mul", {"x", "x"}, {kT}), Spec("here", "Neg", {"there:z:0"}, {kT})};
  f.nodes[0].device = "/gpu:0";
  f.nodes[1].device = "/cpu:1";
  f.returns = {{"y", "here:y:0"}};
  Call("call", "spread", {Placeholder("x")});
  EXPECT_EQ(ExpectSame({{"x", Tensor::Scalar(3.0f)}}, {"call"}).values[0], -9);
}

TEST_F(Inline, SomeCallsStayCalls) {
  DefineSquareAndOne();
  Function& never = Define("never", "x: float", "y: float");
  never.attrs.Set("_noinline", true);
  never.nodes = {Spec("twice", "AddV2", {"x", "x"}, {kT})};
  never.returns = {{"y", "twice:z:0"}};
  // A generator goes on where its last run ended, whichever fetches ask for it.
  Function& random = Define("random", "x: float", "y: float");
  random.nodes = {Spec("shape", "Const", {},
                       {{"value", Tensor::FromValues<int32_t>(*Shape::Make({0}), {})},
                        {"dtype", DType::kInt32}}),
                  Spec("u", "RandomUniform", {"shape:output:0"},
                       {{"dtype", DType::kFloat}, {"T", DType::kInt32}, {"seed", 7}}),
                  Spec("y", "Mul", {"x", "u:output:0"}, {kT})};
  random.returns = {{"y", "y:z:0"}};
  const OutputRef x = Placeholder("x");
  Call("kept", "never", {x});
  Call("draw", "random", {x});
  const NamedTensors feeds = {{"x", Tensor::Scalar(3.0f)}};
  EXPECT_TRUE(Has(ExpectSame(feeds, {"kept", "draw"}, {}, 3), "kept"));
  EXPECT_TRUE(Has(ExpectSame(feeds, {"draw"}, {}, 3), "draw"));
  // A fed call does not run at all.
  const OutputRef fed = Call("fed", "square_and_one", {x});
  Built(NodeBuilder(graph_.get(), "Neg").Name("negative").Input(fed));
  EXPECT_EQ(ExpectSame({{"fed", Tensor::Scalar(2.0f)}}, {"negative"}).values[0], -2);
}

TEST_F(Inline, ACallInABranchIsDeadAsAWhole) {
  Function& f = Define("constant", "x: float", "y: float");
  f.nodes = {Spec("one", "Const", {}, {{"value", Tensor::Scalar(1.0f)}, {"dtype", kT.second}})};
  f.returns = {{"y", "one:output:0"}};
  const OutputRef x = Placeholder("x");
  const OutputRef p =
      Built(NodeBuilder(graph_.get(), "Placeholder").Name("p").Attr("dtype", DType::kBool));
  const OutputRef branch =
      Built(NodeBuilder(graph_.get(), "Switch").Name("branch").Input(x).Input(p));
  const OutputRef call = Call("call", "constant", {{branch.node, 1}});
  Built(NodeBuilder(graph_.get(), "Merge")
            .Name("merged")
            .Input(std::vector<OutputRef>{{branch.node, 0}, call}));
  for (const bool taken : {false, true}) {
    const NamedTensors feeds = {{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(taken)}};
    EXPECT_EQ(ExpectSame(feeds, {"merged"}).values[0], taken ? 1 : 3);
  }
}

}  // namespace
}  // namespace warpbeam
