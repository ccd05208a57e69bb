#include "runtime/device/gpu_warning.h"

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace warpbeam {
namespace {

std::string SaidOf(const std::string& line) {
  ::testing::internal::CaptureStderr();
  WarnOfGpus(line);
  return ::testing::internal::GetCapturedStderr();
}

TEST(GpuWarning, IsALineOnceForEachText) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(SaidOf("no driver"), "warning: no driver\n");
  EXPECT_EQ(SaidOf("no driver"), "");
  EXPECT_EQ(SaidOf("an old driver"), "warning: an old driver\n");
}

TEST(GpuWarning, IsNotForThoseWhoHideAllGpus) {
  for (const char* hidden : {"", "-1"}) {
    setenv("CUDA_VISIBLE_DEVICES", hidden, 1);
    EXPECT_EQ(SaidOf("hidden"), "") << hidden;
  }
  setenv("CUDA_VISIBLE_DEVICES", "0,1", 1);
  EXPECT_EQ(SaidOf("hidden"), "warning: hidden\n") << "what nobody was told is still to be said";
  unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace warpbeam
