#include "ops/launch/gpu_launch.h"

#include <string>

#include "graph/types/errors.h"
#include "gtest/gtest.h"
#include "runtime/device/gpu_platform.h"

namespace warpbeam {
namespace {

std::string TextOf(int error) { return absl::StrCat("error ", error, ", in words"); }

TEST(GpuStatus, SaysInThePlatformsWordsWhatALaunchGave) {
  const GpuPlatform* const before = RegisteredGpuPlatform();
  EXPECT_TRUE(GpuStatus(0, "Exp").ok());
  const GpuPlatform speaks = {"speaks", nullptr, nullptr, &TextOf};
  RegisterGpuPlatform(&speaks);
  EXPECT_EQ(GpuStatus(700, "Exp"),
            Internal("launching Exp on the GPU failed: error 700, in words"));
  const GpuPlatform is_silent = {"is silent", nullptr, nullptr};
  RegisterGpuPlatform(&is_silent);
  EXPECT_EQ(GpuStatus(700, "Exp"), Internal("launching Exp on the GPU failed: CUDA error 700"));
  RegisterGpuPlatform(before);
}

}  // namespace
}  // namespace warpbeam
