#include "runtime/plan/item_cost.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(ItemCostTest, GrowsWithTheElementsAsFarAsThereMayBeAny) {
  OpRegistry ops;
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("MatMul")
                               .Costs(CostClass::kProduct)
                               .Input("x: N * float")
                               .Attr("N: int")
                               .Output("y: float"))
                  .ok());
  ASSERT_TRUE(ops.Register(OpSchemaBuilder("Source").Output("y: float")).ok());
  Graph graph(ops);
  const auto cost_of = [&](PartialShape shape) {
    NodeSpec source;
    source.name = "source" + std::to_string(graph.num_nodes());
    source.op = "Source";
    Node* const from = *graph.AddNode(source, {}, {});
    EXPECT_TRUE(graph.MergeOutputShape(from->id(), 0, shape).ok());
    NodeSpec product;
    product.name = "product" + std::to_string(graph.num_nodes());
    product.op = "MatMul";
    product.attrs.Set("N", int64_t{2});
    Node* const node = *graph.AddNode(product, {{from->id(), 0}, {from->id(), 0}}, {});
    EXPECT_TRUE(graph.MergeOutputShape(node->id(), 0, shape).ok());
    return ItemCost::Estimate(graph, *node);
  };
  EXPECT_EQ(cost_of(PartialShape({2, 5})).ns(), 20 * 30);
  EXPECT_TRUE(cost_of(PartialShape({-1, 5})).is_unknown());
  // What a shape may claim; a plan adds up the costs of all of its items.
  const int64_t huge = cost_of(PartialShape({int64_t{1} << 31, int64_t{1} << 31})).ns();
  EXPECT_GT(huge, int64_t{1'000'000'000});
  EXPECT_LT(huge, INT64_MAX / 1'000'000);
}

}  // namespace
}  // namespace warpbeam
