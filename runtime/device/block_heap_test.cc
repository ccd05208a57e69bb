#include "runtime/device/block_heap.h"

#include <map>
#include <random>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(BlockHeap, GivesTheSmallestBlockThatFits) {
  BlockHeap heap(64);
  EXPECT_FALSE(heap.Allocate(1).has_value());
  heap.Grow(1024);
  EXPECT_EQ(heap.Allocate(100), 0u);
  EXPECT_EQ(heap.Allocate(64), 128u);
  EXPECT_EQ(heap.Allocate(0), 192u);
  EXPECT_EQ(heap.bytes_in_use(), 256u);
  heap.Free(128, 64);
  EXPECT_EQ(heap.Allocate(65), 256u);  // the hole is too small
  EXPECT_EQ(heap.Allocate(1), 128u);
  EXPECT_FALSE(heap.Allocate(1024).has_value());
  EXPECT_FALSE(heap.Allocate(~size_t{0}).has_value());
}

TEST(BlockHeap, JoinsNeighboursAndGrowsAtItsEnd) {
  BlockHeap heap(64);
  heap.Grow(192);
  for (size_t offset = 0; offset < 192; offset += 64) EXPECT_EQ(heap.Allocate(64), offset);
  heap.Free(0, 64);
  heap.Free(128, 64);
  EXPECT_FALSE(heap.Allocate(128).has_value());
  EXPECT_EQ(heap.Missing(128), 64u);
  heap.Free(64, 64);
  EXPECT_EQ(heap.Missing(192), 0u);
  EXPECT_EQ(heap.Missing(256), 64u);
  heap.Grow(64);
  EXPECT_EQ(heap.Allocate(256), 0u);
  EXPECT_EQ(heap.Missing(1), 64u);
  EXPECT_EQ(heap.most_in_use(), 256u);
  heap.Free(0, 192);
  EXPECT_EQ(heap.most_in_use(), 256u);
  heap.ResetMost();
  EXPECT_EQ(heap.most_in_use(), 64u);
}

TEST(BlockHeap, BlocksNeverOverlapAndAllComesBack) {
  BlockHeap heap(256);
  heap.Grow(1 << 20);
  std::mt19937 random(7);
  std::map<size_t, size_t> taken;
  for (int i = 0; i < 20000; ++i) {
    if (taken.empty() || random() % 5 < 3) {
      const size_t bytes = random() % 9000;
      const auto offset = heap.Allocate(bytes);
      if (!offset.has_value()) continue;
      EXPECT_EQ(*offset % 256, 0u);
      const auto next = taken.lower_bound(*offset);
      if (next != taken.end()) {
        ASSERT_LE(*offset + bytes, next->first);
      }
      if (next != taken.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, *offset);
      }
      ASSERT_LE(*offset + bytes, heap.size());
      taken[*offset] = bytes;
    } else {
      const auto it = std::next(taken.begin(), random() % taken.size());
      heap.Free(it->first, it->second);
      taken.erase(it);
    }
  }
  for (const auto& [offset, bytes] : taken) heap.Free(offset, bytes);
  EXPECT_EQ(heap.bytes_in_use(), 0u);
  EXPECT_EQ(heap.Allocate(1 << 20), 0u);
}

}  // namespace
}  // namespace warpbeam
