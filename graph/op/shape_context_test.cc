#include "graph/op/shape_context.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class ShapeContextTest : public ::testing::Test {
 protected:
  ShapeContextTest() { op_ = *OpSchemaBuilder("Toy").Input("shape: int32").Build(); }
  ShapeContext Context(std::vector<PartialShape> inputs, std::optional<Tensor> constant = {},
                       std::optional<PartialShape> as_shape = {}) {
    ShapeContext::Source source;
    source.constant = [constant](int) { return constant; };
    source.constant_as_shape = [as_shape](int) { return as_shape; };
    return ShapeContext(op_, attrs_, std::move(inputs), {}, 2, source);
  }
  OpSchema op_;
  AttrMap attrs_;
};

TEST_F(ShapeContextTest, Broadcast) {
  const auto both = [](PartialShape a, PartialShape b) {
    StatusOr<PartialShape> s = ShapeContext::Broadcast(a, b);
    return s.ok() ? s->ToString() : "error";
  };
  EXPECT_EQ(both({2, 3}, {3}), "[2,3]");
  EXPECT_EQ(both({2, 1}, {1, 3}), "[2,3]");
  EXPECT_EQ(both(Shape(), PartialShape({4})), "[4]");
  EXPECT_EQ(both({-1, 3}, {2, -1}), "[2,3]");
  EXPECT_EQ(both({-1}, {1}), "[?]");
  EXPECT_EQ(both({-1}, {-1}), "[?]");
  EXPECT_EQ(both({0}, {1}), "[0]");
  EXPECT_EQ(both({0}, {-1}), "[0]");
  EXPECT_EQ(both(PartialShape::Unknown(), {1}), "<unknown>");
  EXPECT_EQ(both({2}, {3}), "error");
}

TEST_F(ShapeContextTest, ShapeFromInput) {
  EXPECT_EQ(Context({{3}}, Tensor::Vector<int32_t>({2, -1, 4})).ShapeFromInput(0)->ToString(),
            "[2,?,4]");
  EXPECT_EQ(Context({{2}}, Tensor::Vector<int64_t>({5, 6})).ShapeFromInput(0)->ToString(), "[5,6]");
  EXPECT_FALSE(Context({Shape()}, Tensor::Scalar<int32_t>(-1)).ShapeFromInput(0)->has_rank());
  EXPECT_FALSE(Context({Shape()}, Tensor::Scalar<int32_t>(3)).ShapeFromInput(0).ok());
  const Status bad = Context({{1}}, Tensor::Vector<int32_t>({-2})).ShapeFromInput(0).status();
  EXPECT_THAT(std::string(bad.message()), HasSubstr("input 0 ('shape')"));
  EXPECT_FALSE(Context({{2, 2}}).ShapeFromInput(0).ok());
  EXPECT_EQ(Context({{2}}, {}, PartialShape({-1, 7})).ShapeFromInput(0)->ToString(), "[?,7]");
  EXPECT_EQ(Context({{2}}).ShapeFromInput(0)->ToString(), "[?,?]");
  EXPECT_FALSE(Context({{-1}}).ShapeFromInput(0)->has_rank());
}

TEST_F(ShapeContextTest, Ranks) {
  ShapeContext c = Context({{2, 3}});
  EXPECT_TRUE(c.WithRank(0, 2).ok());
  EXPECT_TRUE(c.WithRankAtLeast(0, 1).ok());
  EXPECT_FALSE(c.WithRank(0, 3).ok());
  EXPECT_FALSE(c.WithRankAtLeast(0, 3).ok());
  EXPECT_EQ(Context({PartialShape()}).WithRank(0, 2)->ToString(), "[?,?]");
}

TEST_F(ShapeContextTest, ConstantScalar) {
  EXPECT_EQ(Context({Shape()}, Tensor::Scalar<int64_t>(7)).ConstantScalar(0), 7);
  EXPECT_EQ(Context({Shape()}, Tensor::Scalar<float>(7)).ConstantScalar(0), std::nullopt);
  EXPECT_EQ(Context({Shape()}).ConstantScalar(0), std::nullopt);
}

TEST_F(ShapeContextTest, SharedFunctions) {
  ShapeContext c = Context({{2, -1}, {-1, 3}});
  ASSERT_TRUE(shapes::MergeInputs(c).ok());
  EXPECT_EQ(c.output(1).ToString(), "[2,3]");
  ShapeContext bad = Context({{2}, {3}});
  EXPECT_FALSE(shapes::MergeInputs(bad).ok());
  EXPECT_FALSE(shapes::BroadcastBinary(bad).ok());
  ASSERT_TRUE(shapes::Scalar(c).ok());
  EXPECT_EQ(c.output(0).rank(), 0);
  ASSERT_TRUE(shapes::Unchanged(c).ok());
  EXPECT_EQ(c.output(0).ToString(), "[2,?]");
  EXPECT_TRUE(c.output_handle(0).empty());
}

}  // namespace
}  // namespace warpbeam
