#include "tools/baseline_check/baseline_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace warpbeam {
namespace {

CpuIdWords Haswell() {
  CpuIdWords cpu;
  cpu.leaf1_ecx = 0x7ffafbffu;
  cpu.leaf7_ebx = 0x000027abu;
  cpu.extended_leaf1_ecx = 0x21u;
  cpu.xcr0 = 0x7u;
  return cpu;
}

TEST(BaselineCheckTest, ThisCpuRunsTheTest) { EXPECT_EQ(MissingCpuFeature(ReadCpuId()), nullptr); }

TEST(BaselineCheckTest, TheFirstCpuOfTheLevelPasses) {
  EXPECT_EQ(MissingCpuFeature(Haswell()), nullptr);
}

TEST(BaselineCheckTest, NamesTheFeatureThatIsMissing) {
  CpuIdWords no_avx2 = Haswell();
  no_avx2.leaf7_ebx &= ~(1u << 5);
  EXPECT_STREQ(MissingCpuFeature(no_avx2), "AVX2");

  CpuIdWords no_fma = Haswell();
  no_fma.leaf1_ecx &= ~(1u << 12);
  EXPECT_STREQ(MissingCpuFeature(no_fma), "FMA");

  CpuIdWords no_lzcnt = Haswell();
  no_lzcnt.extended_leaf1_ecx = 0;
  EXPECT_STREQ(MissingCpuFeature(no_lzcnt), "LZCNT");
}

TEST(BaselineCheckTest, AvxThatTheSystemDoesNotSaveIsMissing) {
  CpuIdWords cpu = Haswell();
  cpu.xcr0 = 0x3;
  EXPECT_STREQ(MissingCpuFeature(cpu), "AVX state saved by the operating system");
}

TEST(BaselineCheckTest, TheMessageIsOneLineThatNamesTheFeature) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  WriteMissingFeature(ends[1], "AVX2");
  close(ends[1]);
  char buffer[512];
  const ssize_t size = read(ends[0], buffer, sizeof(buffer));
  close(ends[0]);
  ASSERT_GT(size, 0);
  const std::string message(buffer, size);
  EXPECT_NE(message.find("this one has no AVX2.\n"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), message.size() - 1) << message;
}

}  // namespace
}  // namespace warpbeam
