#include "runtime/device/local/fixed_cuts.h"

#include <mutex>
#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "runtime/device/cpu/cpu_device.h"

namespace warpbeam {
namespace {

using Cuts = std::set<std::pair<int64_t, int64_t>>;

// Where a loop is cut on a device of so many threads.
Cuts CutsOf(int threads, int64_t count, int64_t ns) {
  const auto cpu = *NewCpuDevice(DeviceName::Local(DeviceType::kCpu, 0), threads);
  const std::unique_ptr<Device> fixed = NewFixedCuts(cpu.get());
  EXPECT_EQ(fixed->width(), kFixedWidth);
  EXPECT_EQ(fixed->name(), cpu->name());
  std::mutex mutex;
  Cuts cuts;
  fixed->ParallelFor(count, ns, [&](int64_t begin, int64_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_TRUE(cuts.emplace(begin, end).second);
  });
  return cuts;
}

TEST(FixedCuts, DoNotDependOnThreads) {
  for (const auto& [count, ns] : {std::pair<int64_t, int64_t>{1, 100'000},
                                  {3, 100'000},
                                  {1000, 1},
                                  {1000, 10},
                                  {1001, 1000},
                                  {1'000'000, 7}}) {
    const Cuts cuts = CutsOf(1, count, ns);
    int64_t next = 0;
    for (const auto& [begin, end] : cuts) {
      EXPECT_EQ(begin, next);
      EXPECT_LT(begin, end);
      next = end;
    }
    EXPECT_EQ(next, count);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(CutsOf(threads, count, ns), cuts) << threads;
  }
  // Cheap loops stay whole, dear ones are cut.
  EXPECT_EQ(CutsOf(4, 1000, 1).size(), 1u);
  EXPECT_EQ(CutsOf(4, 3, 100'000).size(), 3u);
  EXPECT_GT(CutsOf(4, 1'000'000, 7).size(), 8u);
  EXPECT_TRUE(CutsOf(4, 0, 7).empty());
}

}  // namespace
}  // namespace warpbeam
