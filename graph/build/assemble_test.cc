#include "graph/build/assemble.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class AssembleTest : public ::testing::Test {
 protected:
  AssembleTest() : graph_(ops_) {
    Register(
        OpSchemaBuilder("Source").Output("y: T").Attr("T: type = DT_FLOAT").Shape(shapes::Scalar));
    Register(
        OpSchemaBuilder("Add").Input("a: T").Input("b: T").Output("y: T").Attr("T: type").Shape(
            shapes::BroadcastBinary));
    Register(OpSchemaBuilder("Neg").Input("x: float").Output("y: float").Shape(shapes::Unchanged));
    Register(OpSchemaBuilder("Blur").Output("y: float"));
    Register(OpSchemaBuilder("Merge")
                 .Role(OpRole::kMerge)
                 .Input("inputs: N * float")
                 .Output("output: float")
                 .Attr("N: int"));
    Register(OpSchemaBuilder("NextIteration")
                 .Role(OpRole::kNextIteration)
                 .Input("data: float")
                 .Output("output: float"));
    Register(OpSchemaBuilder("NoOp").Role(OpRole::kNothing));
    Register(OpSchemaBuilder("Call").Attr("f: func"));
  }
  void Register(const OpSchemaBuilder& builder) { ASSERT_TRUE(ops_.Register(builder).ok()); }

  static NodeSpec Spec(std::string name, std::string op, std::vector<std::string> inputs) {
    NodeSpec spec;
    spec.name = std::move(name);
    spec.op = std::move(op);
    spec.inputs = std::move(inputs);
    if (spec.op == "Add") spec.attrs.Set("T", DType::kFloat);
    if (spec.op == "Merge") spec.attrs.Set("N", static_cast<int64_t>(spec.inputs.size()));
    return spec;
  }
  Status Assemble(std::vector<NodeSpec> specs) {
    return AssembleGraph(std::move(specs), options_, &graph_);
  }
  std::string Error(std::vector<NodeSpec> specs) {
    Graph graph(ops_);
    const Status status = AssembleGraph(std::move(specs), options_, &graph);
    EXPECT_FALSE(status.ok());
    code_ = status.code();
    return std::string(status.message());
  }

  OpRegistry ops_;
  Graph graph_;
  AssembleOptions options_;
  StatusCode code_ = StatusCode::kOk;
};

TEST_F(AssembleTest, AnyOrder) {
  ASSERT_TRUE(Assemble({Spec("sum", "Add", {"neg", "a:0", "^n"}), Spec("neg", "Neg", {"a"}),
                        Spec("n", "NoOp", {"^neg"}), Spec("a", "Source", {})})
                  .ok());
  const Node* sum = graph_.Find("sum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(graph_.node(sum->input(0).node).name(), "neg");
  EXPECT_EQ(graph_.node(sum->control_inputs()[0]).name(), "n");
  EXPECT_EQ(sum->output_shape(0).rank(), 0);
}

TEST_F(AssembleTest, KeepsTheOrderOfAnOrderedList) {
  std::vector<NodeSpec> specs = {Spec("a", "Source", {})};
  for (int i = 0; i < 20; ++i) {
    specs.push_back(Spec(absl::StrCat("b", i), "Neg", {"a"}));
    specs.push_back(Spec(absl::StrCat("c", i), "Add", {absl::StrCat("b", i), "a"}));
  }
  std::vector<std::string> names;
  for (const NodeSpec& spec : specs) names.push_back(spec.name);
  ASSERT_TRUE(Assemble(std::move(specs)).ok());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(graph_.node(i).name(), names[i]);
}

TEST_F(AssembleTest, NodesInOrderStandInTheGraphAtOnce) {
  GraphAssembler assembler(options_, &graph_);
  assembler.Reserve(5);
  assembler.Add(Spec("a", "Source", {}));
  assembler.Add(Spec("b", "Neg", {"a:0", "^a"}));
  ASSERT_EQ(graph_.num_nodes(), 2);
  EXPECT_EQ(graph_.node(1).input(0), (OutputRef{0, 0}));
  EXPECT_THAT(graph_.node(1).control_inputs(), ElementsAre(0));
  // From one on that has to wait all do.
  assembler.Add(Spec("c", "Neg", {"e"}));
  assembler.Add(Spec("d", "Neg", {"b"}));
  EXPECT_EQ(graph_.num_nodes(), 2);
  assembler.Add(Spec("e", "Neg", {"d"}));
  ASSERT_TRUE(assembler.Finish().ok());
  std::vector<std::string> names;
  for (const Node& node : graph_.nodes()) names.push_back(node.name());
  EXPECT_THAT(names, ElementsAre("a", "b", "d", "e", "c"));
}

TEST_F(AssembleTest, WhatIsWrongIsToldAlikeWhereverItStands) {
  const NodeSpec a = Spec("a", "Source", {}), waits = Spec("waits", "Neg", {"z"}),
                 z = Spec("z", "Source", {});
  // Once in order, once behind a node that has to wait.
  for (const std::vector<NodeSpec>& first : {std::vector<NodeSpec>{a, z, waits}, {a, waits, z}}) {
    const auto error = [&](std::vector<NodeSpec> more) {
      more.insert(more.begin(), first.begin(), first.end());
      return Error(std::move(more));
    };
    EXPECT_EQ(error({Spec("a", "Source", {})}),
              "node 'a' (Source): another node of the graph has this name: node 'a' (Source)");
    EXPECT_EQ(error({Spec("x", "Neg", {"a", "a"}), Spec("y", "Neg", {"x"})}),
              "node 'x' (Neg): takes 1 inputs, got 2");
    EXPECT_THAT(error({Spec("x", "Neg", {"a:1"}), Spec("y", "Neg", {"x"})}),
                AllOf(HasSubstr("'a:1' is not there"), Not(HasSubstr("'y'"))));
    EXPECT_THAT(error({Spec("x", "Neg", {"a", "a"}), Spec("x", "Source", {})}),
                AllOf(HasSubstr("2 problems"), HasSubstr("takes 1 inputs"),
                      HasSubstr("has this name: node 'x' (Neg)")));
  }
}

TEST_F(AssembleTest, ExtendsAGraph) {
  ASSERT_TRUE(Assemble({Spec("a", "Source", {})}).ok());
  ASSERT_TRUE(Assemble({Spec("b", "Neg", {"a"}), Spec("c", "NoOp", {"^a"})}).ok());
  EXPECT_EQ(graph_.Find("b")->input(0).node, graph_.Find("a")->id());
  EXPECT_THAT(std::string(Assemble({Spec("a", "Source", {})}).message()), HasSubstr("taken"));
}

TEST_F(AssembleTest, ClosesLoops) {
  ASSERT_TRUE(Assemble({Spec("a", "Source", {}), Spec("m", "Merge", {"a", "next"}),
                        Spec("body", "Neg", {"m"}), Spec("next", "NextIteration", {"body"})})
                  .ok());
  EXPECT_EQ(graph_.Find("m")->input(1).node, graph_.Find("next")->id());
  EXPECT_TRUE(TopologicalOrder(graph_).ok());
}

TEST_F(AssembleTest, OneReportOfEverything) {
  const std::string error =
      Error({Spec("u1", "Foo", {}), Spec("u2", "Foo", {"u1"}), Spec("u3", "Blurr", {}),
             Spec("x", "Neg", {"ghost"}), Spec("y", "Add", {"x"}), Spec("i", "Source", {"^lost"}),
             Spec("z", "Neg", {"u1"}), Spec("bad name", "NoOp", {}), Spec("twice", "NoOp", {}),
             Spec("twice", "NoOp", {})});
  EXPECT_THAT(error,
              AllOf(HasSubstr("'Foo'"), HasSubstr("2 nodes: 'u1', 'u2'"),
                    HasSubstr("did you mean 'Blur'"), HasSubstr("'ghost'"), HasSubstr("'lost'"),
                    HasSubstr("'bad name'"), HasSubstr("'twice'"), HasSubstr("6 problems")));
  // What is wrong only because a producer is wrong is not told.
  EXPECT_THAT(error, Not(HasSubstr("'z'")));
}

TEST_F(AssembleTest, TheFirstProblemGivesTheCode) {
  EXPECT_THAT(Error({Spec("u", "Foo", {})}), HasSubstr("'Foo'"));
  EXPECT_EQ(code_, StatusCode::kNotFound);
  NodeSpec no_type = Spec("x", "Add", {"a", "a"});
  no_type.attrs.Erase("T");
  EXPECT_THAT(Error({Spec("a", "Source", {}), no_type}), HasSubstr("'T'"));
  EXPECT_EQ(code_, StatusCode::kNotFound);
  EXPECT_THAT(Error({Spec("x", "Neg", {"ghost"})}), HasSubstr("'ghost'"));
  EXPECT_EQ(code_, StatusCode::kInvalidArgument);
}

TEST_F(AssembleTest, EarlierProblemsOpenTheReport) {
  Graph graph(ops_);
  const Status status = AssembleGraph({Spec("x", "", {}), Spec("y", "Neg", {"x"})}, options_,
                                      &graph, {DataLoss("broken tensor")});
  EXPECT_EQ(status, DataLoss("broken tensor"));
}

TEST_F(AssembleTest, Cycles) {
  EXPECT_THAT(Error({Spec("x", "Neg", {"x"})}), HasSubstr("'x' → 'x'"));
  EXPECT_THAT(Error({Spec("a", "Source", {}), Spec("x", "Add", {"a", "z"}), Spec("y", "Neg", {"x"}),
                     Spec("z", "Neg", {"y"}), Spec("after", "Neg", {"z"})}),
              HasSubstr("'x' → 'y' → 'z' → 'x'"));
  EXPECT_THAT(Error({Spec("x", "NoOp", {"^y"}), Spec("y", "NoOp", {"^x"})}), HasSubstr("cycle"));
  EXPECT_THAT(
      Error({Spec("a", "Source", {}), Spec("m", "Merge", {"a", "x"}), Spec("x", "Neg", {"m"})}),
      HasSubstr("cycle"));
}

TEST_F(AssembleTest, InputSyntax) {
  for (const char* input :
       {"a:", "a:y", "", "^", "^a:0", "a:-1", "a:1:2", "a b", ":0", "a:99999999999"}) {
    EXPECT_FALSE(ParseInputName(input).ok()) << input;
  }
  EXPECT_EQ(ParseInputName("a/b:3")->index, 3);
  EXPECT_EQ(ParseInputName("a/b:3")->node, "a/b");
  EXPECT_EQ(ParseInputName("^a")->index, -1);
  EXPECT_THAT(Error({Spec("a", "Source", {}), Spec("x", "Add", {"^a", "a", "a"})}),
              HasSubstr("control inputs come last"));
  EXPECT_THAT(Error({Spec("a", "Source", {}), Spec("x", "Neg", {"a:1"})}),
              HasSubstr("has 1 outputs"));
  EXPECT_THAT(Error({Spec("a", "Source", {}), Spec("x", "Neg", {"a", "a"})}),
              HasSubstr("takes 1 inputs, got 2"));
}

TEST_F(AssembleTest, InternalNamesNeedLeave) {
  EXPECT_THAT(Error({Spec("_a", "Source", {})}), HasSubstr("no node name"));
  options_.allow_internal_names = true;
  EXPECT_TRUE(Assemble({Spec("_a", "Source", {})}).ok());
}

TEST_F(AssembleTest, WrittenShapesAreMerged) {
  NodeSpec blur = Spec("blur", "Blur", {});
  blur.attrs.Set("_output_shapes", std::vector<PartialShape>{{2, -1}});
  ASSERT_TRUE(Assemble({blur, Spec("x", "Neg", {"blur"})}).ok());
  EXPECT_EQ(graph_.Find("x")->output_shape(0).ToString(), "[2,?]");
  NodeSpec source = Spec("source", "Source", {});
  // What does not fit, or is of another number of outputs, is a hint that does not help.
  source.attrs.Set("_output_shapes", std::vector<PartialShape>{{3}});
  ASSERT_TRUE(Assemble({source}).ok());
  EXPECT_EQ(graph_.Find("source")->output_shape(0).ToString(), "[]");
  NodeSpec none = Spec("none", "Source", {});
  none.attrs.Set("_output_shapes", std::vector<PartialShape>{});
  NodeSpec more = Spec("more", "Blur", {});
  more.attrs.Set("_output_shapes", std::vector<PartialShape>{{2, 4}, {1}});
  ASSERT_TRUE(Assemble({none, more}).ok());
  EXPECT_EQ(graph_.Find("more")->output_shape(0).ToString(), "[2,4]");
}

TEST_F(AssembleTest, Limits) {
  options_.limits.max_nodes = 1;
  EXPECT_THAT(Error({Spec("a", "Source", {}), Spec("b", "Source", {})}), HasSubstr("2 nodes"));
  EXPECT_EQ(code_, StatusCode::kResourceExhausted);
  options_.limits = AssembleLimits();
  options_.limits.max_edges = 1;
  EXPECT_THAT(Error({Spec("a", "Source", {}), Spec("b", "Add", {"a", "a"})}), HasSubstr("2 edges"));
  options_.limits = AssembleLimits();
  options_.limits.max_text_bytes = 10;
  EXPECT_THAT(Error({Spec("a_long_name", "Source", {})}), HasSubstr("bytes"));
  options_.limits = AssembleLimits();
  FunctionRef deep{"f", {}};
  for (int i = 0; i < 20; ++i) {
    FunctionRef outer{"g", {}};
    outer.attrs.Set("f", deep);
    deep = outer;
  }
  NodeSpec call = Spec("call", "Call", {});
  call.attrs.Set("f", deep);
  EXPECT_THAT(Error({call}), HasSubstr("nested"));
  options_.limits.max_problems_shown = 2;
  std::vector<NodeSpec> many;
  for (int i = 0; i < 9; ++i) many.push_back(Spec(absl::StrCat("n", i), "Neg", {"ghost"}));
  EXPECT_THAT(Error(many), AllOf(HasSubstr("9 problems"), HasSubstr("and 7 more")));
}

// Random graphs in random order give the same edges as in order.
TEST_F(AssembleTest, ShuffledGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<NodeSpec> specs;
    const int n = 1 + random() % 60;
    for (int i = 0; i < n; ++i) {
      const std::string name = absl::StrCat("n", i);
      const auto any = [&] { return absl::StrCat("n", random() % i); };
      if (i == 0 || random() % 4 == 0) {
        specs.push_back(Spec(name, "Source", {}));
      } else {
        specs.push_back(Spec(name, "Add", {any(), any(), "^" + any()}));
      }
    }
    const std::vector<NodeSpec> ordered = specs;
    std::shuffle(specs.begin(), specs.end(), random);
    Graph graph(ops_);
    ASSERT_TRUE(AssembleGraph(specs, options_, &graph).ok());
    ASSERT_EQ(graph.num_nodes(), n);
    for (const NodeSpec& spec : ordered) {
      const Node* node = graph.Find(spec.name);
      ASSERT_NE(node, nullptr);
      for (int k = 0; k < node->num_inputs(); ++k) {
        EXPECT_EQ(graph.node(node->input(k).node).name(), spec.inputs[k]);
        EXPECT_LT(node->input(k).node, node->id());
      }
    }
  }
}

}  // namespace
}  // namespace warpbeam
