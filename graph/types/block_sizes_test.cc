#include "graph/types/block_sizes.h"

#include <gtest/gtest.h>

namespace warpbeam {
namespace {

TEST(BlockSizes, EveryClassHoldsWhatItIsForAndAtMostAQuarterMore) {
  for (int c = 0; c < BlockSizes::kNumClasses; ++c) {
    const size_t bytes = BlockSizes::OfClass(c);
    EXPECT_EQ(BlockSizes::ClassOf(bytes), c);
    if (bytes < BlockSizes::kLargest) {
      EXPECT_EQ(BlockSizes::ClassOf(bytes + 1), c + 1) << bytes;
    }
    if (c >= BlockSizes::kSmallClasses) {
      EXPECT_LT(static_cast<double>(bytes),
                1.25 * static_cast<double>(BlockSizes::OfClass(c - 1) + 1));
    }
  }
}

TEST(BlockSizes, Rounded) {
  EXPECT_EQ(BlockSizes::Rounded(0), 0u);
  EXPECT_EQ(BlockSizes::Rounded(1), 64u);
  EXPECT_EQ(BlockSizes::Rounded(64), 64u);
  EXPECT_EQ(BlockSizes::Rounded(5'000), 5'120u);
  EXPECT_EQ(BlockSizes::Rounded(size_t{1} << 20), size_t{1} << 20);
  EXPECT_EQ(BlockSizes::Rounded(size_t{1} << 50), size_t{1} << 50);
}

}  // namespace
}  // namespace warpbeam
