#include "runtime/device/local/schedule_perturbation.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(SchedulePerturbationTest, HandsOutEverythingInAnotherOrder) {
  std::mutex mutex;
  std::vector<int> order;
  constexpr int kWork = 200;
  {
    SchedulePerturbation perturbation(7);
    for (int i = 0; i < kWork; ++i) {
      perturbation.Hold([&, i] {
        std::lock_guard<std::mutex> lock(mutex);
        order.push_back(i);
      });
    }
  }
  ASSERT_EQ(order.size(), size_t{kWork});
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int i = 0; i < kWork; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace warpbeam
