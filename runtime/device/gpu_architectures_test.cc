#include "runtime/device/gpu_architectures.h"

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

TEST(GpuArchitectures, MachineCodeRunsOnItsGenerationAndPtxOnWhatIsNewer) {
  const GpuArchitectures one("80");
  EXPECT_FALSE(one.RunOn(7, 5));
  for (const int minor : {0, 6, 9}) EXPECT_TRUE(one.RunOn(8, minor)) << minor;
  EXPECT_TRUE(one.RunOn(9, 0));
  EXPECT_TRUE(one.RunOn(12, 0));
  EXPECT_EQ(one.ToString(), "sm_80 and newer");
  const GpuArchitectures middle("86");
  EXPECT_FALSE(middle.RunOn(8, 0)) << "older than the code";
  EXPECT_TRUE(middle.RunOn(8, 9));
}

TEST(GpuArchitectures, BetweenTwoGenerationsThereIsNoPtx) {
  const GpuArchitectures two("80,100");
  EXPECT_TRUE(two.RunOn(8, 9));
  EXPECT_FALSE(two.RunOn(9, 0)) << "newer than sm_80's code, older than the PTX";
  EXPECT_TRUE(two.RunOn(10, 3));
  EXPECT_TRUE(two.RunOn(12, 0));
  EXPECT_EQ(two.ToString(), "sm_80, sm_100 and newer");
}

TEST(GpuArchitectures, CodeOfOneGpuOrOneGenerationStaysThere) {
  const GpuArchitectures exact("80,90a");
  EXPECT_TRUE(exact.RunOn(8, 6));
  EXPECT_TRUE(exact.RunOn(9, 0));
  EXPECT_FALSE(exact.RunOn(9, 1));
  EXPECT_FALSE(exact.RunOn(10, 0));
  EXPECT_EQ(exact.ToString(), "sm_80, sm_90a");
  const GpuArchitectures family("100f");
  EXPECT_TRUE(family.RunOn(10, 0));
  EXPECT_TRUE(family.RunOn(10, 3));
  EXPECT_FALSE(family.RunOn(12, 0));
  EXPECT_EQ(family.ToString(), "sm_100f");
}

TEST(GpuArchitectures, NoneRunNowhere) {
  EXPECT_FALSE(GpuArchitectures("").RunOn(9, 0));
  EXPECT_FALSE(GpuArchitectures("what").RunOn(9, 0));
}

}  // namespace
}  // namespace warpbeam
