// What AddressSanitizer and UndefinedBehaviorSanitizer are for in kernels they do find there.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_function.h"
#include "runtime/device/simulated/twin_memory.h"

namespace warpbeam::host_pass {
namespace {

// Every thread copies an element, where there are fewer elements than threads.
struct CopyTooMuch {
  const int* x;
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) { y[thread] = x[thread]; });
  }
};

struct ShiftTooFar {
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) { y[thread] = 1 << thread; });
  }
};

GpuGrid Threads(int threads) {
  GpuGrid grid;
  grid.threads = threads;
  return grid;
}

TEST(AsanFindsTest, ElementsBehindATensor) {
  std::vector<int> x(64), y(63);
  EXPECT_DEATH(RunBlocks(CopyTooMuch{x.data(), y.data()}, Threads(64)), "heap-buffer-overflow");
  EXPECT_DEATH(RunBlocks(CopyTooMuch{y.data(), x.data()}, Threads(64)), "heap-buffer-overflow");
}

// The memory of simulated GPUs is no heap's that the sanitizer knows.
TEST(AsanFindsTest, ElementsBehindATensorOfAGpu) {
  auto memory = TwinMemory::Create("gpu:0", 1 << 20);
  ASSERT_TRUE(memory.ok()) << memory.status();
  const BufferRef little = (*memory)->Allocate(63 * sizeof(int));
  const BufferRef whole = (*memory)->Allocate(64 * sizeof(int));
  int* const x = static_cast<int*>((*memory)->ToWritable(little->data()));
  int* const y = static_cast<int*>((*memory)->ToWritable(whole->data()));
  EXPECT_DEATH(RunBlocks(CopyTooMuch{x, y}, Threads(64)), "use-after-poison|unknown-crash");
  EXPECT_DEATH(RunBlocks(CopyTooMuch{y, x}, Threads(64)), "use-after-poison|unknown-crash");
  EXPECT_DEATH(RunBlocks(CopyTooMuch{y, y}, Threads(128)), "use-after-poison|unknown-crash");
  RunBlocks(CopyTooMuch{y, y}, Threads(64));
}

TEST(AsanFindsTest, ShiftsThatAreUndefined) {
  std::vector<int> y(64);
  EXPECT_DEATH(RunBlocks(ShiftTooFar{y.data()}, Threads(64)), "shift exponent");
}

}  // namespace
}  // namespace warpbeam::host_pass
