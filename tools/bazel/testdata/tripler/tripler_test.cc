#include "tools/bazel/testdata/tripler/tripler.h"

#include <gtest/gtest.h>

#include <vector>

namespace warpbeam {
namespace {

TEST(TriplerTest, RunsOnTheGpu) {
  if (GpuCount() == 0) GTEST_SKIP() << "no GPU on this machine";
  std::vector<float> values(1000);
  for (int i = 0; i < 1000; ++i) values[i] = static_cast<float>(i);
  ASSERT_TRUE(Triple(&values));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(values[i], 3.0f * i);
}

}  // namespace
}  // namespace warpbeam
