// Races of a GPU's threads that ThreadSanitizer finds though the host runs one after the other
// (ops/launch/gpu_races.h), and what it takes for none.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_function.h"

namespace warpbeam::host_pass {
namespace {

// Neighbours of a block exchange numbers, with or without a barrier in between.
template <bool with_barrier>
struct Exchange {
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    int* const shared = block.Shared<int>(block.threads());
    const int threads = block.threads();
    if (with_barrier) {
      block.ForEach([&](int thread) { shared[thread] = thread; });
      block.ForEach([&](int thread) {
        y[block.index() * threads + thread] = shared[(thread + 1) % threads];
      });
    } else {
      block.ForEach([&](int thread) {
        shared[thread] = thread;
        y[block.index() * threads + thread] = shared[(thread + 1) % threads];
      });
    }
  }
};

// All threads of all blocks count in one place.
template <bool atomically>
struct Count {
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      // One of each block, so that blocks are all that can race.
      if (thread != 0) return;
      if (atomically) {
        AtomicAdd(y, 1);
      } else {
        *y += 1;
      }
    });
  }
};

// A block reads what the one before has left for it, as if blocks had an order.
struct ReadOfTheLast {
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      if (thread == 0) y[block.index() + 1] = y[block.index()] + 1;
    });
  }
};

GpuGrid Blocks(int64_t blocks) {
  GpuGrid grid;
  grid.blocks = blocks;
  grid.threads = 64;
  grid.shared_bytes = 64 * sizeof(int);
  return grid;
}

class TsanFindsTest : public testing::Test {
 protected:
  TsanFindsTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  std::vector<int> y_ = std::vector<int>(64 * 4);
};

TEST_F(TsanFindsTest, ThreadsOfOnePhase) {
  EXPECT_DEATH(RunBlocks(Exchange<false>{y_.data()}, Blocks(1)), "data race");
}

TEST_F(TsanFindsTest, BlocksThatWriteToOnePlace) {
  EXPECT_DEATH(RunBlocks(Count<false>{y_.data()}, Blocks(2)), "data race");
}

TEST_F(TsanFindsTest, BlocksThatWaitForOneAnother) {
  EXPECT_DEATH(RunBlocks(ReadOfTheLast{y_.data()}, Blocks(4)), "data race");
}

TEST_F(TsanFindsTest, NothingInPhasesAndAtomics) {
  RunBlocks(Exchange<true>{y_.data()}, Blocks(4));
  EXPECT_EQ(y_[63], 0);
  EXPECT_EQ(y_[64], 1);
  RunBlocks(Exchange<true>{y_.data()}, Blocks(4));  // a launch comes after the one before
  y_[0] = 0;
  RunBlocks(Count<true>{y_.data()}, Blocks(4));
  EXPECT_EQ(y_[0], 4);
}

}  // namespace
}  // namespace warpbeam::host_pass
