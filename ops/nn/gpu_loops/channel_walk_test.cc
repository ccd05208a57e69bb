#include "ops/nn/gpu_loops/channel_walk.h"

#include <vector>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using host_pass::GpuBlock;
using host_pass::Pack;

// Counts how often an element is taken, and by a thread that stands for another channel.
struct CountTerm {
  using Running = int64_t;
  ChannelExtents data;
  std::vector<int>* taken;
  int* strangers;

  Running Start(int64_t channel) const { return channel; }
  template <int kWidth>
  void Take(int64_t at, Running* running) const {
    for (int i = 0; i < kWidth; ++i) {
      ++(*taken)[at + i];
      *strangers += (at + i) / data.inner % data.channels != running[i];
    }
  }
};

template <int kWidth>
void ExpectEachOnce(const ChannelExtents& data, int64_t most_blocks) {
  GpuGrid grid;
  const ChannelWalk walk = MakeChannelWalk(data, kWidth, grid.threads, most_blocks);
  grid.blocks = walk.tiles * walk.parts;
  std::vector<int> taken(data.outer * data.channels * data.inner);
  int strangers = 0;
  const CountTerm term{data, &taken, &strangers};
  std::vector<std::max_align_t> memory(grid.block_bytes() / sizeof(std::max_align_t) + 1);
  for (int64_t b = 0; b < grid.blocks; ++b) {
    GpuBlock block(grid, b, reinterpret_cast<char*>(memory.data()));
    block.ForEach([&](int thread) {
      int64_t running[kWidth];
      host_pass::TakeItems<kWidth>(block, walk, thread, term, running);
    });
  }
  EXPECT_EQ(taken, std::vector<int>(taken.size(), 1))
      << data.outer << " " << data.channels << " " << data.inner << " by " << kWidth;
  EXPECT_EQ(strangers, 0);
}

TEST(ChannelWalk, TakesEachElementOnceByAThreadOfItsChannel) {
  for (const int64_t blocks : {1, 7, 1056}) {
    for (const ChannelExtents& data :
         {ChannelExtents{1, 1, 1}, ChannelExtents{5000, 8, 1}, ChannelExtents{3, 8, 4},
          ChannelExtents{700, 600, 1}, ChannelExtents{9, 3, 20}, ChannelExtents{1, 1, 70000},
          ChannelExtents{0, 4, 1}, ChannelExtents{2, 4, 0}, ChannelExtents{3000, 2, 4},
          ChannelExtents{1, 5, 10000}, ChannelExtents{2, 1000, 52}}) {
      ExpectEachOnce<1>(data, blocks);
      if ((data.inner == 1 ? data.channels : data.inner) % 4 == 0) ExpectEachOnce<4>(data, blocks);
    }
  }
}

TEST(ChannelWalk, ChannelsOfOneDimension) {
  const ChannelExtents last = ChannelsOf(Shape({2, 3, 4}), 2);
  EXPECT_EQ(last.outer, 6);
  EXPECT_EQ(last.channels, 4);
  EXPECT_EQ(last.inner, 1);
  const ChannelExtents second = ChannelsOf(Shape({2, 3, 4}), 1);
  EXPECT_EQ(second.outer, 2);
  EXPECT_EQ(second.channels, 3);
  EXPECT_EQ(second.inner, 4);
  EXPECT_EQ(ChannelsOf(Shape({2, 1, 4}), 1).inner, 8);
}

}  // namespace
}  // namespace warpbeam
