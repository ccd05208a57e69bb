#include "graph/graph.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Status ConstShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(Tensor value, c.attr<Tensor>("value"));
  c.set_output(0, value.shape());
  return OkStatus();
}

class GraphTest : public ::testing::Test {
 protected:
  GraphTest() : graph_(ops_) {
    Register(OpSchemaBuilder("Const")
                 .Role(OpRole::kConstant)
                 .Output("output: dtype")
                 .Attr("value: tensor")
                 .Attr("dtype: type")
                 .Shape(ConstShape));
    Register(
        OpSchemaBuilder("Add").Input("x: T").Input("y: T").Output("z: T").Attr("T: type").Shape(
            shapes::BroadcastBinary));
    Register(OpSchemaBuilder("Var").Output("ref: Ref(float)"));
    Register(OpSchemaBuilder("Assign")
                 .Input("ref: Ref(float)")
                 .Input("value: float")
                 .Output("out: Ref(float)"));
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
  }
  void Register(const OpSchemaBuilder& builder) { ASSERT_TRUE(ops_.Register(builder).ok()); }

  StatusOr<Node*> TryAdd(const char* op, const std::string& name, std::vector<OutputRef> inputs,
                         std::vector<NodeId> controls = {}, AttrMap attrs = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.attrs = std::move(attrs);
    return graph_.AddNode(std::move(spec), std::move(inputs), std::move(controls));
  }
  NodeId Const(const std::string& name, Tensor value) {
    AttrMap attrs;
    attrs.Set("dtype", value.dtype());
    attrs.Set("value", value);
    StatusOr<Node*> node = TryAdd("Const", name, {}, {}, attrs);
    EXPECT_TRUE(node.ok()) << node.status();
    return (*node)->id();
  }
  StatusOr<Node*> AddFloats(const std::string& name, NodeId a, NodeId b) {
    AttrMap attrs;
    attrs.Set("T", DType::kFloat);
    return TryAdd("Add", name, {{a, 0}, {b, 0}}, {}, attrs);
  }

  OpRegistry ops_;
  Graph graph_;
};

TEST_F(GraphTest, AddsNodesWithTypesAndShapes) {
  const NodeId a = Const("a", Tensor::Vector<float>({1, 2}));
  const NodeId b = Const("b", Tensor::Scalar<float>(1));
  StatusOr<Node*> sum = AddFloats("scope/sum", a, b);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)->id(), 2);
  EXPECT_THAT((*sum)->input_types(), ElementsAre(DType::kFloat, DType::kFloat));
  EXPECT_EQ((*sum)->output_shape(0).ToString(), "[2]");
  EXPECT_EQ(graph_.Find("scope/sum"), *sum);
  EXPECT_EQ(graph_.Find("nothing"), nullptr);
  EXPECT_EQ(graph_.num_nodes(), 3);
}

TEST_F(GraphTest, RefusesWhatDoesNotFitAndStaysAsItWas) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  const NodeId i = Const("i", Tensor::Scalar<int32_t>(1));
  const auto message = [](const StatusOr<Node*>& node) {
    return std::string(node.status().message());
  };
  EXPECT_THAT(message(AddFloats("x", a, i)),
              AllOf(HasSubstr("node 'x' (Add)"), HasSubstr("input 1 ('i:0')"), HasSubstr("int32")));
  EXPECT_THAT(message(AddFloats("a", a, a)), HasSubstr("the name is taken"));
  EXPECT_THAT(message(AddFloats("no space", a, a)), HasSubstr("no node name"));
  EXPECT_THAT(message(AddFloats("", a, a)), HasSubstr("no node name"));
  EXPECT_THAT(message(AddFloats("x", a, 17)), HasSubstr("no node of this graph"));
  EXPECT_THAT(message(TryAdd("Add", "x", {{a, 0}})), HasSubstr("'T'"));
  EXPECT_THAT(message(TryAdd("NoOp", "x", {{a, 0}})), HasSubstr("takes 0 inputs, got 1"));
  EXPECT_THAT(message(TryAdd("NextIteration", "x", {{a, 1}})), HasSubstr("has 1 outputs"));
  EXPECT_THAT(message(TryAdd("NoOp", "x", {}, {99})), HasSubstr("control input"));
  EXPECT_TRUE(IsNotFound(TryAdd("Nope", "x", {}).status()));
  const NodeId wide = Const("wide", Tensor::Vector<float>({1, 2, 3}));
  const NodeId pair = Const("pair", Tensor::Vector<float>({1, 2}));
  EXPECT_THAT(message(AddFloats("x", wide, pair)), HasSubstr("do not broadcast"));
  EXPECT_EQ(graph_.num_nodes(), 4);
  EXPECT_EQ(graph_.Find("x"), nullptr);
  EXPECT_TRUE(AddFloats("x", a, a).ok());
}

TEST_F(GraphTest, ReferencesAreReadAsValuesButNotTheOtherWayRound) {
  const NodeId v = (*TryAdd("Var", "v", {}))->id();
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  EXPECT_TRUE(AddFloats("sum", v, a).ok());
  EXPECT_TRUE(TryAdd("Assign", "set", {{v, 0}, {a, 0}}).ok());
  EXPECT_THAT(std::string(TryAdd("Assign", "bad", {{a, 0}, {a, 0}}).status().message()),
              HasSubstr("must be a reference"));
}

TEST_F(GraphTest, ErrorsSayWhereTheNodeWasBuilt) {
  NodeSpec spec;
  spec.name = "x";
  spec.op = "NextIteration";
  spec.location = {"net.cc", 12};
  EXPECT_THAT(std::string(graph_.AddNode(spec, {}, {}).status().message()),
              HasSubstr("node 'x' (NextIteration, built at net.cc:12)"));
}

TEST_F(GraphTest, UniqueNames) {
  EXPECT_EQ(graph_.UniqueName("c"), "c");
  Const("c", Tensor::Scalar<float>(1));
  Const("c_1", Tensor::Scalar<float>(1));
  EXPECT_EQ(graph_.UniqueName("c"), "c_2");
  EXPECT_EQ(graph_.UniqueName("d"), "d");
}

TEST_F(GraphTest, ControlInputsAreASet) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  const NodeId b = Const("b", Tensor::Scalar<float>(1));
  const NodeId n = (*TryAdd("NoOp", "n", {}, {b, a, b}))->id();
  EXPECT_THAT(graph_.node(n).control_inputs(), ElementsAre(a, b));
  EXPECT_TRUE(graph_.AddControlInput(n, a).ok());
  EXPECT_EQ(graph_.node(n).control_inputs().size(), 2);
  EXPECT_FALSE(graph_.AddControlInput(n, n).ok());
}

TEST_F(GraphTest, SetAttrKeepsTypes) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  EXPECT_TRUE(graph_.SetAttr(a, "_mark", 1).ok());
  EXPECT_EQ(graph_.node(a).attrs().Find("_mark")->i(), 1);
  EXPECT_FALSE(graph_.SetAttr(a, "dtype", DType::kInt32).ok());
  EXPECT_FALSE(graph_.SetAttr(a, "dtype", 3).ok());
  EXPECT_FALSE(graph_.SetAttr(a, "other", 3).ok());
}

TEST_F(GraphTest, MergeOutputShapeNarrowsOnly) {
  const NodeId v = (*TryAdd("Var", "v", {}))->id();
  EXPECT_TRUE(graph_.MergeOutputShape(v, 0, {-1, 3}).ok());
  EXPECT_TRUE(graph_.MergeOutputShape(v, 0, {2, -1}).ok());
  EXPECT_EQ(graph_.node(v).output_shape(0).ToString(), "[2,3]");
  EXPECT_THAT(std::string(graph_.MergeOutputShape(v, 0, {4, 3}).message()), HasSubstr("'v'"));
  EXPECT_FALSE(graph_.MergeOutputShape(v, 1, {4, 3}).ok());
}

TEST_F(GraphTest, FinalizedGraphsStay) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  graph_.Finalize();
  EXPECT_TRUE(IsFailedPrecondition(AddFloats("x", a, a).status()));
  EXPECT_TRUE(IsFailedPrecondition(graph_.AddControlInput(a, a)));
}

TEST_F(GraphTest, CloneIsIndependent) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  std::unique_ptr<Graph> copy = graph_.Clone();
  ASSERT_TRUE(AddFloats("x", a, a).ok());
  EXPECT_EQ(copy->num_nodes(), 1);
  ASSERT_NE(copy->Find("a"), nullptr);
  EXPECT_EQ(copy->Find("a"), &copy->node(a));
  EXPECT_EQ(copy->UniqueName("x"), "x");
}

TEST_F(GraphTest, FunctionsAreOps) {
  auto f = std::make_shared<Function>();
  f->signature = *OpSchemaBuilder("twice").Input("x: float").Output("y: float").Build();
  ASSERT_TRUE(graph_.functions().Add(f).ok());
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  StatusOr<Node*> call = TryAdd("twice", "call", {{a, 0}});
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ((*call)->num_outputs(), 1);
  auto g = std::make_shared<Function>();
  g->signature = *OpSchemaBuilder("twice").Input("x: float").Input("z: float").Build();
  EXPECT_TRUE(IsAlreadyExists(graph_.functions().Add(g)));
  // A replaced function's schema lives on in the nodes that use it.
  graph_.functions().Replace(g);
  f.reset();
  EXPECT_EQ((*call)->op().inputs.size(), 1);
}

TEST_F(GraphTest, ConsumersAreListedByProducer) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  const NodeId x = (*AddFloats("x", a, a))->id();
  const NodeId n = (*TryAdd("NoOp", "n", {}, {a}))->id();
  const Consumers consumers(graph_);
  ASSERT_EQ(consumers.of(a).size(), 3);
  EXPECT_EQ(consumers.of(a)[0].node, x);
  EXPECT_EQ(consumers.of(a)[1].input, 1);
  EXPECT_EQ(consumers.of(a)[2].node, n);
  EXPECT_EQ(consumers.of(a)[2].input, -1);
  EXPECT_TRUE(consumers.of(n).empty());
}

TEST_F(GraphTest, LoopsAreNoCycles) {
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  AttrMap two;
  two.Set("N", 2);
  const NodeId merge = (*TryAdd("Merge", "m", {{a, 0}, {kNoNode, 0}}, {}, two))->id();
  const NodeId sum = (*AddFloats("sum", merge, a))->id();
  const NodeId next = (*TryAdd("NextIteration", "next", {{sum, 0}}))->id();
  ASSERT_TRUE(graph_.SetInput(merge, 1, {next, 0}).ok());
  EXPECT_THAT(*TopologicalOrder(graph_), ElementsAre(a, merge, sum, next));
  // The same through an ordinary node is a cycle.
  ASSERT_TRUE(graph_.SetInput(sum, 1, {next, 0}).ok());
  const Status cycle = TopologicalOrder(graph_).status();
  EXPECT_THAT(std::string(cycle.message()), AllOf(HasSubstr("'sum'"), HasSubstr("'next'")));
}

TEST_F(GraphTest, OrderOfNodesAddedBackToFront) {
  AttrMap two;
  two.Set("N", 2);
  const NodeId late = (*TryAdd("Merge", "late", {{kNoNode, 0}, {kNoNode, 0}}, {}, two))->id();
  const NodeId a = Const("a", Tensor::Scalar<float>(1));
  const NodeId b = (*AddFloats("b", a, a))->id();
  ASSERT_TRUE(graph_.SetInput(late, 0, {b, 0}).ok());
  ASSERT_TRUE(graph_.SetInput(late, 1, {a, 0}).ok());
  EXPECT_THAT(*TopologicalOrder(graph_), ElementsAre(a, b, late));
}

TEST_F(GraphTest, SitesAreEachOverlaysOwn) {
  auto base = std::make_shared<Graph>(ops_);
  const auto no_op = [](const char* name, Site site) {
    NodeSpec spec;
    spec.name = name;
    spec.op = "NoOp";
    spec.site = site;
    return spec;
  };
  ASSERT_TRUE(base->AddNode(no_op("a", kNoSite), {}, {}).ok());
  ASSERT_TRUE(base->AddNode(no_op("b", kNoSite), {}, {}).ok());
  EXPECT_EQ(base->site(0), kNoSite);
  const std::shared_ptr<Graph> here = Graph::Overlay(base), there = Graph::Overlay(base);
  here->SetSites({0, 1});
  there->SetSites({2, 2});
  EXPECT_EQ(here->site(1), 1);
  EXPECT_EQ(there->site(1), 2);
  EXPECT_EQ(base->site(1), kNoSite);

  const std::shared_ptr<Graph> rewritten = Graph::Overlay(here);
  ASSERT_TRUE(rewritten->ReplaceNode(1, no_op("b", kNoSite), {}, {}, {}).ok());
  EXPECT_EQ(rewritten->site(1), 1);
  const StatusOr<Node*> unplaced = rewritten->AddNode(no_op("c", kNoSite), {}, {});
  const StatusOr<Node*> placed = rewritten->AddNode(no_op("d", 3), {}, {});
  ASSERT_TRUE(unplaced.ok() && placed.ok());
  EXPECT_EQ(rewritten->site((*unplaced)->id()), kNoSite);
  EXPECT_EQ(rewritten->site((*placed)->id()), 3);
  EXPECT_EQ(here->sites().size(), 2u);
  EXPECT_EQ(rewritten->Clone()->site((*placed)->id()), 3);
}

TEST_F(GraphTest, TheNewestNodesCanBeTakenBack) {
  const auto add = [&](const char* name) {
    NodeSpec spec;
    spec.name = name;
    spec.op = "NoOp";
    spec.site = 1;
    return graph_.AddNode(std::move(spec), {}, {}).ok();
  };
  ASSERT_TRUE(add("old") && add("new") && add("newer"));
  graph_.TakeBack(1);
  EXPECT_EQ(graph_.num_nodes(), 1);
  EXPECT_EQ(graph_.Find("new"), nullptr);
  EXPECT_EQ(graph_.sites().size(), 1u);
  ASSERT_TRUE(add("new"));
  EXPECT_EQ(graph_.Find("new")->id(), 1);
}

}  // namespace
}  // namespace warpbeam
