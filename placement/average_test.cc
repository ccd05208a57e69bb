#include "placement/average.h"

#include "graph/op/shape_context.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

// AddN of two constants of T, times `factor`: how many averages are found in it.
template <typename T>
size_t AveragesOfScaledSum(T factor) {
  OpRegistry ops;
  EXPECT_TRUE(ops.Register(OpSchemaBuilder("Const")
                               .Output("output: dtype")
                               .Attr("value: tensor")
                               .Attr("dtype: type")
                               .Shape(shapes::Scalar))
                  .ok());
  EXPECT_TRUE(ops.Register(OpSchemaBuilder("AddN")
                               .Input("inputs: N * T")
                               .Output("sum: T")
                               .Attr("N: int >= 1")
                               .Attr("T: type")
                               .Shape(shapes::Scalar))
                  .ok());
  EXPECT_TRUE(ops.Register(OpSchemaBuilder("Mul")
                               .Input("x: T")
                               .Input("y: T")
                               .Output("z: T")
                               .Attr("T: type")
                               .Shape(shapes::Scalar))
                  .ok());
  Graph graph(ops);
  std::vector<NodeId> kept;
  const auto add = [&](const char* op, std::vector<OutputRef> inputs, AttrMap attrs) {
    NodeSpec spec;
    spec.name = absl::StrCat(op, kept.size());
    spec.op = op;
    spec.attrs = std::move(attrs);
    auto node = graph.AddNode(std::move(spec), std::move(inputs), {});
    EXPECT_TRUE(node.ok()) << node.status();
    kept.push_back((*node)->id());
    return OutputRef{kept.back(), 0};
  };
  const auto constant = [&](T value) {
    AttrMap attrs;
    attrs.Set("value", Tensor::Scalar(value));
    attrs.Set("dtype", DTypeOf<T>::value);
    return add("Const", {}, std::move(attrs));
  };
  AttrMap sum_attrs;
  sum_attrs.Set("N", int64_t{2});
  sum_attrs.Set("T", DTypeOf<T>::value);
  const OutputRef sum = add("AddN", {constant(1), constant(2)}, std::move(sum_attrs));
  AttrMap product_attrs;
  product_attrs.Set("T", DTypeOf<T>::value);
  const OutputRef product = add("Mul", {sum, constant(factor)}, std::move(product_attrs));
  const OutputRef fetches[] = {product};
  return FindAverages(graph, {kept, {}, fetches, {}}, Consumers(graph)).size();
}

TEST(AverageTest, ScaledSums) {
  EXPECT_EQ(AveragesOfScaledSum<float>(0.5f), 1u);
  EXPECT_EQ(AveragesOfScaledSum<float>(1.0f / 3), 1u);
  EXPECT_EQ(AveragesOfScaledSum<double>(0.5), 1u);
}

// The reduction's factor is a float: a third in doubles would lose half of its digits.
TEST(AverageTest, AFactorThatNoFloatEqualsIsLeftAlone) {
  EXPECT_EQ(AveragesOfScaledSum<double>(1.0 / 3), 0u);
}

}  // namespace
}  // namespace warpbeam
