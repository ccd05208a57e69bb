// BatchNormWithGlobalNormalization and its gradient on GPUs give what they give on the CPU.
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/op_runner.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

TEST(GlobalNormalizationOnGpu, AndItsGradient) {
  for (const DType dtype : {DType::kHalf, DType::kFloat}) {
    for (const Shape& shape :
         {Shape({2, 3, 5, 4}), Shape({3, 20, 20, 1}), Shape({0, 2, 2, 3}), Shape({2, 2, 2, 0})}) {
      for (const bool scales : {false, true}) {
        const std::vector<std::pair<std::string, AttrValue>> attrs = {
            {"variance_epsilon", 0.25f}, {"scale_after_normalization", scales}};
        const Shape channels({shape.dim(3)});
        const Tensor x = TestNumbers(shape, dtype, 1), dy = TestNumbers(shape, dtype, 2);
        const Tensor mean = TestNumbers(channels, dtype, 3);
        const Tensor beta = TestNumbers(channels, dtype, 4),
                     gamma = TestNumbers(channels, dtype, 5);
        // Squares, so that no variance is negative.
        const auto variance = OpRunner("Square").Input(TestNumbers(channels, dtype, 6)).RunOne();
        ASSERT_TRUE(variance.ok()) << variance.status();
        EXPECT_EQ(GpuAsCpu({"BatchNormWithGlobalNormalization",
                            attrs,
                            {{x}, {mean}, {*variance}, {beta}, {gamma}}},
                           ToleranceOf(dtype)),
                  OkStatus());
        EXPECT_EQ(GpuAsCpu({"BatchNormWithGlobalNormalizationGrad",
                            attrs,
                            {{x}, {mean}, {*variance}, {gamma}, {dy}}},
                           ToleranceOf(dtype)),
                  OkStatus());
      }
    }
  }
}

TEST(GlobalNormalizationOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({1, 2, 2, 3}), DType::kFloat, 1);
  const Tensor two = TestNumbers(Shape({2}), DType::kFloat, 1);
  EXPECT_EQ(GpuAsCpu({"BatchNormWithGlobalNormalization",
                      {{"variance_epsilon", 0.25f}, {"scale_after_normalization", true}},
                      {{x}, {two}, {two}, {two}, {two}}},
                     {}),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
