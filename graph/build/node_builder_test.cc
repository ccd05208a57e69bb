#include "graph/build/node_builder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NodeBuilderTest : public ::testing::Test {
 protected:
  NodeBuilderTest() : graph_(ops_) {
    Register(OpSchemaBuilder("Const")
                 .Role(OpRole::kConstant)
                 .Output("output: dtype")
                 .Attr("value: tensor")
                 .Attr("dtype: type"));
    Register(OpSchemaBuilder("AddN")
                 .Input("inputs: N * T")
                 .Output("sum: T")
                 .Attr("N: int")
                 .Attr("T: {float, int32}"));
    Register(OpSchemaBuilder("Neg").Input("x: T").Output("y: T").Attr("T: type").Attr(
        "mode: string = 'plain'"));
    Register(OpSchemaBuilder("NoOp").Role(OpRole::kNothing));
    a_ = Constant("a");
    b_ = Constant("b");
  }
  void Register(const OpSchemaBuilder& builder) { ASSERT_TRUE(ops_.Register(builder).ok()); }
  OutputRef Constant(const char* name) {
    StatusOr<Node*> node = AddConstant(&graph_, name, Tensor::Scalar<float>(1));
    EXPECT_TRUE(node.ok()) << node.status();
    return {(*node)->id(), 0};
  }
  OpRegistry ops_;
  Graph graph_;
  OutputRef a_, b_;
};

TEST_F(NodeBuilderTest, InfersAttributes) {
  StatusOr<Node*> sum = NodeBuilder(&graph_, "AddN")
                            .Name("total")
                            .Input({a_, b_, a_})
                            .ControlInput(b_.node)
                            .Device("/cpu:0")
                            .Location({"x.cc", 3})
                            .Build();
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)->attrs().Find("N")->i(), 3);
  EXPECT_EQ((*sum)->attrs().Find("T")->type(), DType::kFloat);
  EXPECT_EQ((*sum)->device(), "/cpu:0");
  EXPECT_THAT((*sum)->control_inputs(), ElementsAre(b_.node));
  EXPECT_EQ((*sum)->location().ToString(), "x.cc:3");
}

TEST_F(NodeBuilderTest, Names) {
  EXPECT_EQ((*NodeBuilder(&graph_, "Neg").Input(a_).Build())->name(), "Neg");
  EXPECT_EQ((*NodeBuilder(&graph_, "Neg").Input(a_).Build())->name(), "Neg_1");
  EXPECT_EQ((*NodeBuilder(&graph_, "Neg").Name("a").Input(a_).Build())->name(), "a_1");
  EXPECT_FALSE(NodeBuilder(&graph_, "Neg").ExactName("a").Input(a_).Build().ok());
}

TEST_F(NodeBuilderTest, Faults) {
  const auto error = [](StatusOr<Node*> node) { return std::string(node.status().message()); };
  EXPECT_THAT(error(NodeBuilder(&graph_, "Neg").Build()), HasSubstr("takes 1 inputs, got 0"));
  EXPECT_THAT(error(NodeBuilder(&graph_, "Neg").Input({a_}).Build()), HasSubstr("got a list"));
  EXPECT_THAT(error(NodeBuilder(&graph_, "AddN").Input(a_).Build()), HasSubstr("got one tensor"));
  EXPECT_THAT(error(NodeBuilder(&graph_, "Neg").Input(OutputRef{77, 0}).Build()),
              HasSubstr("no output of a node"));
  EXPECT_THAT(error(NodeBuilder(&graph_, "Neg").Input(OutputRef{a_.node, 1}).Build()),
              HasSubstr("no output of a node"));
  EXPECT_TRUE(IsNotFound(NodeBuilder(&graph_, "Nope").Build().status()));
  EXPECT_FALSE(NodeBuilder(&graph_, "NoOp").BuildOutput().ok());
  const NodeId id = graph_.num_nodes() - 1;
  EXPECT_EQ(graph_.node(id).op_name(), "NoOp");
}

}  // namespace
}  // namespace warpbeam
