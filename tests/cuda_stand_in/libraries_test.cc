// The real sides of products and convolutions on the stand-ins of cuBLASLt and cuDNN.
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "tests/cuda_stand_in/stand_in.h"

namespace warpbeam {
namespace {

TEST(Libraries, AreAsked) {
  EXPECT_EQ(GpuModes().back(), GpuMode::kReal);
}

}  // namespace
}  // namespace warpbeam
