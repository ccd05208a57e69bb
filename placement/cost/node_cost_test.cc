#include "placement/cost/node_cost.h"

#include <gtest/gtest.h>

#include "placement/testing/toy_graph.h"

namespace warpbeam {
namespace {

// Ops like those of the real families, with the shapes that tests give them.
class NodeCostTest : public ::testing::Test {
 protected:
  void Op(OpSchemaBuilder builder) { ASSERT_TRUE(toy_.registry.Register(builder).ok()); }
  // A node with outputs of these shapes.
  const Node& Make(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<PartialShape>& shapes, AttrMap attrs = {}) {
    const std::string name = absl::StrCat("n", toy_.graph.num_nodes());
    const NodeId id = toy_.Node(name, op, inputs, "", {}, std::move(attrs));
    for (size_t i = 0; i < shapes.size(); ++i) {
      EXPECT_TRUE(toy_.graph.MergeOutputShape(id, static_cast<int>(i), shapes[i]).ok());
    }
    return toy_.graph.node(id);
  }
  // The name of a source of floats of this shape.
  std::string Value(const PartialShape& shape) { return Make("Value", {}, {shape}).name(); }
  std::string Indices(const PartialShape& shape) { return Make("Index", {}, {shape}).name(); }
  NodeCost Cost(const Node& node) { return CostOf(toy_.graph, node, /*unknown_extent=*/3); }

  void SetUp() override {
    Op(OpSchemaBuilder("Value").Output("x: float"));
    Op(OpSchemaBuilder("Index").Output("x: int64"));
    Op(OpSchemaBuilder("Product")
           .Costs(CostClass::kProduct)
           .Input("a: float")
           .Input("b: float")
           .Output("c: float"));
    Op(OpSchemaBuilder("Convolve")
           .Costs(CostClass::kConvolution)
           .Input("input: float")
           .Input("filter: float")
           .Output("output: float")
           .Attr("data_format: string = 'NHWC'"));
    Op(OpSchemaBuilder("ConvolveInputGradient")
           .Costs(CostClass::kConvolution)
           .Input("input_sizes: int64")
           .Input("filter: float")
           .Input("out_backprop: float")
           .Output("output: float"));
    Op(OpSchemaBuilder("ConvolveFilterGradient")
           .Costs(CostClass::kConvolution)
           .Input("input: float")
           .Input("filter_sizes: int64")
           .Input("out_backprop: float")
           .Output("output: float"));
    Op(OpSchemaBuilder("Add").Input("x: float").Input("y: float").Output("z: float"));
    Op(OpSchemaBuilder("Take").Input("params: float").Input("indices: int64").Output("y: float"));
    Op(OpSchemaBuilder("SizeOf").Input("x: float").Output("n: int64").ReadsShapesOnly());
    Op(OpSchemaBuilder("Same").PassesOn(PassOn::kValue).Input("x: float").Output("y: float"));
    Op(OpSchemaBuilder("Check").PassesOn(PassOn::kChecked).Input("x: float").Output("y: float"));
    Op(OpSchemaBuilder("State").Role(OpRole::kVariable).Output("ref: Ref(float)"));
    Op(OpSchemaBuilder("Update")
           .Effect(StateEffect::kWrite)
           .Input("ref: Ref(float)")
           .Input("by: float")
           .Output("out: Ref(float)"));
  }

  ToyGraph toy_;
};

TEST_F(NodeCostTest, ProductsWhicheverIsTransposed) {
  const double flops = 2.0 * 2 * 3 * 5;
  const double bytes = 4 * (6 + 15 + 10);
  for (const auto& [a, b] : std::vector<std::pair<PartialShape, PartialShape>>{
           {{2, 3}, {3, 5}}, {{3, 2}, {3, 5}}, {{2, 3}, {5, 3}}, {{3, 2}, {5, 3}}}) {
    const NodeCost cost = Cost(Make("Product", {Value(a), Value(b)}, {{2, 5}}));
    EXPECT_DOUBLE_EQ(cost.flops, flops);
    EXPECT_EQ(cost.bytes, bytes);
    EXPECT_EQ(cost.cost_class, CostClass::kProduct);
    EXPECT_FALSE(cost.assumed);
  }
  // One matrix for a batch of 7.
  EXPECT_DOUBLE_EQ(Cost(Make("Product", {Value({3, 5}), Value({7, 5, 2})}, {{7, 3, 2}})).flops,
                   2.0 * 7 * 3 * 5 * 2);
  EXPECT_EQ(Cost(Make("Product", {Value({0, 3}), Value({3, 5})}, {{0, 5}})).flops, 0);
}

TEST_F(NodeCostTest, ConvolutionsAndTheirGradientsCountTheirWindows) {
  // 8 pictures of 10 x 10 x 3, 16 filters of 5 x 5, result 6 x 6.
  const PartialShape x({8, 10, 10, 3}), filter({5, 5, 3, 16}), y({8, 6, 6, 16});
  const double flops = 2.0 * (8 * 6 * 6 * 16) * (5 * 5 * 3);
  EXPECT_DOUBLE_EQ(Cost(Make("Convolve", {Value(x), Value(filter)}, {y})).flops, flops);
  EXPECT_DOUBLE_EQ(
      Cost(Make("ConvolveInputGradient", {Indices({4}), Value(filter), Value(y)}, {x})).flops,
      flops);
  EXPECT_DOUBLE_EQ(
      Cost(Make("ConvolveFilterGradient", {Value(x), Indices({4}), Value(y)}, {filter})).flops,
      flops);
  AttrMap channels_first;
  channels_first.Set("data_format", std::string("NCHW"));
  EXPECT_DOUBLE_EQ(Cost(Make("Convolve", {Value({8, 3, 10, 10}), Value(filter)}, {{8, 16, 6, 6}},
                             channels_first))
                       .flops,
                   flops);
  // Depthwise: each of the 3 channels has 2 filters of its own.
  EXPECT_DOUBLE_EQ(Cost(Make("Convolve", {Value(x), Value({5, 5, 3, 2})}, {{8, 6, 6, 6}})).flops,
                   2.0 * (8 * 6 * 6 * 6) * (5 * 5));
}

TEST_F(NodeCostTest, EverythingElseLivesByItsBytes) {
  const std::string x = Value({100, 10}), row = Value({10});
  const NodeCost sum = Cost(Make("Add", {x, row}, {{100, 10}}));
  EXPECT_EQ(sum.flops, 1000);
  EXPECT_EQ(sum.bytes, 4 * (1000 + 10 + 1000));
  // A look-up of 5 rows out of 100 touches 5.
  const NodeCost rows = Cost(Make("Take", {x, Indices({5})}, {{5, 10}}));
  EXPECT_EQ(rows.bytes, 2 * 4 * 50 + 2 * 8 * 5);
  EXPECT_EQ(rows.flops, 50);
  EXPECT_EQ(Cost(Make("SizeOf", {x}, {Shape()})).bytes, 8);
  EXPECT_FALSE(Cost(Make("Same", {x}, {{100, 10}})).is_work());
  EXPECT_EQ(Cost(Make("Check", {x}, {{100, 10}})).bytes, 4000) << "it is read and not written";
}

TEST_F(NodeCostTest, StateIsThereAndAnUpdateReadsAndWritesIt) {
  const Node& state = Make("State", {}, {{20}});
  EXPECT_FALSE(Cost(state).is_work());
  EXPECT_EQ(StateBytes(state, 0, 3, nullptr), 80);
  const Node& update = Make("Update", {state.name(), Value({20})}, {{20}});
  EXPECT_EQ(Cost(update).bytes, 2 * 80 + 80);
  EXPECT_EQ(SharedInput(toy_.graph, update, 0), 0);
}

TEST_F(NodeCostTest, UnknownExtentsCountAsSaid) {
  const NodeCost batch = Cost(Make("Same", {Value({-1, 2})}, {{-1, 2}}));
  EXPECT_FALSE(batch.is_work());
  const NodeCost sum = Cost(Make("Add", {Value({-1, 2}), Value({2})}, {{-1, 2}}));
  EXPECT_TRUE(sum.assumed);
  EXPECT_EQ(sum.flops, 6);
  const NodeCost nothing = Cost(Make("Add", {Value(PartialShape()), Value({1})}, {}));
  EXPECT_TRUE(nothing.assumed);
  EXPECT_EQ(nothing.flops, 3);
}

}  // namespace
}  // namespace warpbeam
