#include "graph/types/shape.h"

#include <limits>

#include "graph/types/tensor.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_EQ(Shape({2, 3, 4, 5, 6, 7, 8}).num_elements(), 40320);
  EXPECT_EQ(Shape({3, 0, 2}).num_elements(), 0);
  EXPECT_EQ(Shape::Make({3, 2})->ToString(), "[3,2]");
  EXPECT_EQ(Shape({3, 2}).Insert(1, 5)->ToString(), "[3,5,2]");
  EXPECT_EQ(Shape({3, 5, 2}).Remove(1), Shape({3, 2}));
}

TEST(ShapeTest, RefusesWhatNoTensorHas) {
  for (const auto& dims : std::vector<std::vector<int64_t>>{
           {-1},
           {kMost, 2},
           {int64_t{1} << 40, 0, int64_t{1} << 40},
           std::vector<int64_t>(255, 1),
       }) {
    EXPECT_TRUE(IsInvalidArgument(Shape::Make(dims).status())) << dims.size();
  }
}

// There may be 2^53 rows of nothing, so that what a kernel multiplies them with does not overflow.
TEST(ShapeTest, BoundsTheExtentsOfEmptyTensors) {
  EXPECT_TRUE(Shape::Make({int64_t{1} << 53, 0}).ok());
  EXPECT_TRUE(IsInvalidArgument(Shape::Make({0, (int64_t{1} << 53) + 1}).status()));
  EXPECT_TRUE(IsInvalidArgument(Shape({0, 8}).WithDim(1, kMost).status()));
}

// A kernel that trusts extents too much gets no memory for them, rather than that of a scalar.
TEST(ShapeTest, OfABadListHasTooManyElements) {
  for (const Shape& bad : {Shape({int64_t{1} << 60, 8}), Shape({kMost, 2, 1, 1, 1, 1, 1}),
                           Shape({-1, 3}), Shape({kMost, 0})}) {
    EXPECT_EQ(bad.num_elements(), kMost) << bad.ToString();
    EXPECT_NE(bad, Shape());
    for (const DType dtype : {DType::kFloat, DType::kUInt8, DType::kString}) {
      EXPECT_FALSE(Tensor::Allocate(dtype, bad).ok()) << bad.ToString();
    }
  }
  EXPECT_EQ(Shape({int64_t{1} << 60, 8}).ToString(), "[1152921504606846976,8]");
}

}  // namespace
}  // namespace warpbeam
