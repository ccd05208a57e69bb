#include "ops/launch/gpu_block.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_function.h"
#include "runtime/device/simulated/simulated_device.h"

namespace warpbeam::host_pass {
namespace {

struct SumRows {
  const float* x;
  float* y;
  int64_t rows, columns;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int64_t row = block.index(); row < rows; row += block.count()) {
      const float sum = block.Reduce(
          [&](int thread) {
            float part = 0;
            for (int64_t c = thread; c < columns; c += block.threads()) {
              part += x[row * columns + c];
            }
            return part;
          },
          [](float a, float b) { return a + b; });
      block.ForEach([&](int thread) {
        if (thread == 0) y[row] = sum;
      });
    }
  }
};
WB_GPU_FUNCTION(SumRows);

// Each block turns its piece around, through memory that its threads share.
struct TurnAround {
  const int* x;
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    const int threads = block.threads();
    const int64_t first = block.index() * threads;
    int* const piece = block.Shared<int>(threads);
    double* const unused = block.Shared<double>(1);
    Private<int> kept(block);
    block.ForEach([&](int thread) {
      kept[thread] = x[first + thread];
      piece[thread] = kept[thread];
      if (thread == 0) *unused = 1;
    });
    block.ForEach(
        [&](int thread) { y[first + thread] = 100 * piece[threads - 1 - thread] + kept[thread]; });
  }
};

// Counts how often each digit is there, by all threads of all blocks.
template <class T>
struct CountDigits {
  const int* x;
  T* counts;
  int64_t size;

  WB_BLOCK void operator()(GpuBlock& block) const {
    block.ForEach([&](int thread) {
      const int64_t step = block.count() * block.threads();
      for (int64_t i = block.index() * block.threads() + thread; i < size; i += step) {
        AtomicAdd(counts + x[i], T(1));
      }
    });
  }
};

// Forgets the barrier: a thread reads what another one may not have written.
struct WithoutBarrier {
  int* y;

  WB_BLOCK void operator()(GpuBlock& block) const {
    int* const piece = block.Shared<int>(block.threads());
    block.ForEach([&](int thread) {
      piece[thread] = thread;
      y[thread] = piece[block.threads() - 1 - thread];
    });
  }
};

// Notes in which order the host comes to blocks and threads.
struct NoteOrder {
  std::vector<int64_t>* seen;

  WB_BLOCK void operator()(GpuBlock& block) const {
    for (int phase = 0; phase < 2; ++phase) {
      block.ForEach([&](int thread) { seen->push_back(block.index() * 1000 + thread); });
    }
  }
};

TEST(GpuBlock, EachSeedHasAnOrderOfItsOwn) {
  const uint64_t before = ::warpbeam::internal::BlockOrderSeed();
  std::set<std::vector<int64_t>> orders;
  for (const uint64_t seed : {0, 1, 2, 71, 20211}) {
    ::warpbeam::internal::BlockOrderSeed() = seed;
    for (const int64_t blocks : {1, 6, 7}) {
      GpuGrid grid;
      grid.blocks = blocks;
      grid.threads = 32;
      std::vector<int64_t> seen, expected;
      RunBlocks(NoteOrder{&seen}, grid);
      orders.insert(seen);
      std::sort(seen.begin(), seen.end());
      for (int64_t b = 0; b < blocks; ++b) {
        for (int64_t t = 0; t < 32; ++t) expected.insert(expected.end(), 2, b * 1000 + t);
      }
      EXPECT_EQ(seen, expected) << "each thread of each block twice, with seed " << seed;
    }
  }
  ::warpbeam::internal::BlockOrderSeed() = before;
  EXPECT_EQ(orders.size(), 15u);
}

TEST(GpuBlock, ReducesWithTheSameBitsAsATree) {
  constexpr int kRows = 5, kColumns = 1000;
  std::vector<float> x(kRows * kColumns), y(kRows, -1);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i + 1);
  GpuGrid grid;
  grid.blocks = 2;  // fewer than rows
  grid.threads = 64;
  RunBlocks(SumRows{x.data(), y.data(), kRows, kColumns}, grid);
  for (int row = 0; row < kRows; ++row) {
    std::vector<float> parts(64, 0);
    for (int c = 0; c < kColumns; ++c) parts[c % 64] += x[row * kColumns + c];
    for (int half = 32; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) parts[i] += parts[i + half];
    }
    EXPECT_EQ(y[row], parts[0]) << row;
  }
}

TEST(GpuBlock, ThreadsShareMemoryAndKeepTheirOwn) {
  constexpr int kThreads = 128, kBlocks = 3;
  std::vector<int> x(kThreads * kBlocks), y(x.size(), 0);
  std::iota(x.begin(), x.end(), 0);
  GpuGrid grid;
  grid.blocks = kBlocks;
  grid.threads = kThreads;
  grid.shared_bytes = sizeof(int) * kThreads + 16;
  RunBlocks(TurnAround{x.data(), y.data()}, grid);
  for (int i = 0; i < kThreads * kBlocks; ++i) {
    const int turned = i / kThreads * kThreads + (kThreads - 1 - i % kThreads);
    ASSERT_EQ(y[i], 100 * turned + i) << i;
  }
}

template <class T>
void ExpectDigitsAreCounted() {
  std::vector<int> x(1000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * i % 10);
  std::vector<T> counts(10, T(0));
  GpuGrid grid;
  grid.blocks = 3;
  grid.threads = 64;
  RunBlocks(CountDigits<T>{x.data(), counts.data(), 1000}, grid);
  const int expected[10] = {100, 200, 0, 0, 200, 100, 200, 0, 0, 200};
  for (int i = 0; i < 10; ++i) EXPECT_EQ(static_cast<double>(counts[i]), expected[i]) << i;
}
TEST(GpuBlock, AtomicAddsAllArrive) {
  ExpectDigitsAreCounted<float>();
  ExpectDigitsAreCounted<double>();
  ExpectDigitsAreCounted<int32_t>();
  ExpectDigitsAreCounted<int64_t>();
}

TEST(GpuBlock, AMissingBarrierShows) {
  std::vector<int> y(256, 0), expected(256);
  for (int i = 0; i < 256; ++i) expected[i] = 255 - i;
  GpuGrid grid;
  grid.shared_bytes = 256 * sizeof(int);
  RunBlocks(WithoutBarrier{y.data()}, grid);
  EXPECT_NE(y, expected);
}

TEST(GpuFunction, IsEnqueuedOnASimulatedGpuAndHasNoCodeForARealOneHere) {
  SimulatedDeviceOptions options;
  options.memory = 1 << 20;
  options.enqueues = true;
  auto gpu = NewSimulatedDevice(DeviceName::Local(DeviceType::kGpu, 0), options);
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  GpuStream stream(**gpu);
  const std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> y(2, 0);
  ASSERT_TRUE(Launch(stream, GpuGrid(), SumRows{x.data(), y.data(), 2, 2}).ok());
  ASSERT_TRUE((*gpu)->Synchronize().ok());
  EXPECT_EQ(y, (std::vector<float>{3, 7}));
  EXPECT_FALSE(HasGpuFunction<SumRows>());
}

}  // namespace
}  // namespace warpbeam::host_pass
