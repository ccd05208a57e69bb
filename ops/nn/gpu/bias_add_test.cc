// BiasAdd, BiasAddGrad and L2Loss on simulated GPUs give what they give on the CPU.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

struct Case {
  Shape shape;
  const char* format;
  int64_t channels;
};

// Channels that fill packs and that do not; rows for one part and for many; images of few pixels.
const Case kCases[] = {
    {Shape({3, 5}), "NHWC", 5},        {Shape({2, 3, 4, 16}), "NHWC", 16},
    {Shape({700, 8}), "NHWC", 8},      {Shape({40, 7, 7, 72}), "NHWC", 72},
    {Shape({3000, 1}), "NHWC", 1},     {Shape({2, 3, 4, 600}), "NHWC", 600},
    {Shape({2, 3, 4, 16}), "NCHW", 3}, {Shape({5, 6, 7, 7}), "NCHW", 6},
    {Shape({3, 5}), "NCHW", 5},        {Shape({2, 3, 40, 40}), "NCHW", 3},
    {Shape({3, 4, 1, 1}), "NCHW", 4},  {Shape({2, 1, 3, 3}), "NCHW", 1},
    {Shape({0, 4}), "NHWC", 4},        {Shape({3, 0}), "NHWC", 0},
    {Shape({2, 3, 0, 5}), "NCHW", 3},  {Shape({70, 2, 3, 2, 8}), "NCHW", 2},
};

TEST(BiasAddOnGpu, AndItsGradient) {
  for (const Case& c : kCases) {
    for (const DType dtype : kTestFloats) {
      const Tensor x = TestNumbers(c.shape, dtype, 1);
      const Tensor bias = TestNumbers(Shape({c.channels}), dtype, 2);
      const OpCall forward{"BiasAdd", {{"data_format", c.format}}, {{x}, {bias}}};
      EXPECT_EQ(GpuAsCpu(forward, ToleranceOf(dtype)), OkStatus()) << c.shape.ToString();
      const OpCall backward{"BiasAddGrad", {{"data_format", c.format}}, {{x}}};
      EXPECT_EQ(GpuAsCpu(backward, ToleranceOf(dtype)), OkStatus()) << c.shape.ToString();
    }
  }
}

TEST(BiasAddOnGpu, OfIntegersWrapsAround) {
  const Tensor x = Tensor::FromValues<int32_t>(Shape({1, 4}), {1, 2147483647, -5, 7});
  const Tensor bias = Tensor::FromValues<int32_t>(Shape({4}), {1, 1, 1, 1});
  EXPECT_EQ(GpuAsCpu({"BiasAdd", {}, {{x}, {bias}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"BiasAddV1", {}, {{x}, {bias}}}, Tolerance()), OkStatus());
}

TEST(BiasAddOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({2, 3}), DType::kFloat, 1);
  const Tensor vector = TestNumbers(Shape({2}), DType::kFloat, 1);
  EXPECT_EQ(GpuAsCpu({"BiasAdd", {}, {{x}, {vector}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"BiasAdd", {}, {{x}, {x}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"BiasAdd", {}, {{vector}, {vector}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"BiasAddGrad", {}, {{vector}}}, Tolerance()), OkStatus());
}

TEST(L2LossOnGpu, OfAnyNumberOfElements) {
  for (const Shape& shape : {Shape(), Shape({0}), Shape({5}), Shape({64, 32}), Shape({30001})}) {
    for (const DType dtype : kTestFloats) {
      const Tensor x = TestNumbers(shape, dtype, 3);
      EXPECT_EQ(GpuAsCpu({"L2Loss", {}, {{x}}}, ToleranceOf(dtype)), OkStatus())
          << shape.ToString();
    }
  }
}

}  // namespace
}  // namespace warpbeam
