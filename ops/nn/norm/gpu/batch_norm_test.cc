// FusedBatchNorm, LRN and their gradients on simulated GPUs give what they give on the CPU.
#include <vector>

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

const Case kCases[] = {
    {Shape({2, 3, 4, 5}), "NHWC", 5},   {Shape({4, 8, 9, 16}), "NHWC", 16},
    {Shape({9, 7, 7, 72}), "NHWC", 72}, {Shape({1, 1, 1, 8}), "NHWC", 8},
    {Shape({2, 5, 6, 1}), "NHWC", 1},   {Shape({3, 4, 5, 5}), "NCHW", 4},
    {Shape({4, 6, 8, 8}), "NCHW", 6},   {Shape({30, 2, 4, 16}), "NCHW", 2},
    {Shape({0, 4, 4, 3}), "NHWC", 3},   {Shape({2, 4, 4, 0}), "NHWC", 0},
};

Tensor Positive(const Shape& shape, int seed) {
  Tensor t = TestNumbers(shape, DType::kFloat, seed);
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<float>()[i] += 6.5f;
  return t;
}

// The moments are those of numbers far from zero.
TEST(BatchNormOnGpu, TrainingAndInference) {
  for (const Case& c : kCases) {
    for (const DType dtype : {DType::kFloat, DType::kHalf, DType::kBFloat16}) {
      const Shape vector({c.channels});
      const Tensor x = TestNumbers(c.shape, dtype, 1);
      const std::vector<std::vector<Tensor>> arguments = {{x},
                                                          {Positive(vector, 2)},
                                                          {TestNumbers(vector, DType::kFloat, 3)},
                                                          {TestNumbers(vector, DType::kFloat, 4)},
                                                          {Positive(vector, 5)}};
      for (const bool training : {true, false}) {
        for (const float factor : {1.0f, 0.25f}) {
          const OpCall call{"FusedBatchNormV3",
                            {{"is_training", training},
                             {"data_format", c.format},
                             {"exponential_avg_factor", factor}},
                            arguments};
          EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << c.shape.ToString();
        }
      }
    }
  }
}

TEST(BatchNormOnGpu, Gradient) {
  for (const Case& c : kCases) {
    for (const DType dtype : {DType::kFloat, DType::kHalf, DType::kBFloat16}) {
      const Shape vector({c.channels});
      const std::vector<std::vector<Tensor>> arguments = {{TestNumbers(c.shape, dtype, 1)},
                                                          {TestNumbers(c.shape, dtype, 2)},
                                                          {Positive(vector, 3)},
                                                          {TestNumbers(vector, DType::kFloat, 4)},
                                                          {Positive(vector, 5)}};
      for (const bool training : {true, false}) {
        const OpCall call{"FusedBatchNormGradV2",
                          {{"is_training", training}, {"data_format", c.format}},
                          arguments};
        EXPECT_EQ(GpuAsCpu(call, ToleranceOf(dtype)), OkStatus()) << c.shape.ToString();
      }
    }
  }
}

// One outlier, which is a thread's first element, among numbers far from zero with small
// differences: a sum of squares would have no digit of the variance.
TEST(BatchNormOnGpu, VarianceFarFromZero) {
  Tensor x = TestNumbers(Shape({4, 32, 32, 3}), DType::kFloat, 1);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    x.data<float>()[i] = 5000 + x.data<float>()[i] / 8;
  }
  x.data<float>()[0] = 0;
  const Tensor ones = Tensor::FromValues<float>(Shape({3}), {1, 1, 1});
  // The result itself is a difference of great numbers.
  const Tensor scale = Tensor::FromValues<float>(Shape({3}), {0.01f, 0.01f, 0.01f});
  const OpCall call{"FusedBatchNorm", {}, {{x}, {scale}, {ones}, {ones}, {ones}}};
  Tolerance tolerance;
  tolerance.relative = 1e-4;
  tolerance.absolute = 1e-3;
  EXPECT_EQ(GpuAsCpu(call, tolerance), OkStatus());
}

TEST(BatchNormOnGpu, Volumes) {
  const Tensor x = TestNumbers(Shape({2, 3, 2, 2, 5}), DType::kFloat, 1);
  for (const char* format : {"NDHWC", "NCDHW"}) {
    const Shape vector({format[1] == 'C' ? 3 : 5});
    const Tensor v = Positive(vector, 2);
    const OpCall call{"FusedBatchNormV3", {{"data_format", format}}, {{x}, {v}, {v}, {v}, {v}}};
    EXPECT_EQ(GpuAsCpu(call, ToleranceOf(DType::kFloat)), OkStatus());
  }
}

TEST(BatchNormOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = TestNumbers(Shape({2, 3, 4, 5}), DType::kFloat, 1);
  const Tensor good = Positive(Shape({5}), 1), bad = Positive(Shape({4}), 1);
  const Tensor matrix = Positive(Shape({3, 5}), 1), empty = Positive(Shape({0}), 1);
  const std::vector<std::vector<std::vector<Tensor>>> calls = {
      {{matrix}, {good}, {good}, {good}, {good}}, {{x}, {bad}, {good}, {good}, {good}},
      {{x}, {good}, {matrix}, {good}, {good}},    {{x}, {good}, {good}, {empty}, {empty}},
      {{x}, {good}, {good}, {bad}, {good}},
  };
  for (const auto& arguments : calls) {
    for (const bool training : {true, false}) {
      const OpCall call{"FusedBatchNorm", {{"is_training", training}}, arguments};
      EXPECT_EQ(GpuAsCpu(call, ToleranceOf(DType::kFloat)), OkStatus());
    }
  }
  EXPECT_EQ(
      GpuAsCpu({"FusedBatchNormGrad", {}, {{x}, {matrix}, {good}, {good}, {good}}}, Tolerance()),
      OkStatus());
  EXPECT_EQ(GpuAsCpu({"FusedBatchNormGrad", {}, {{x}, {x}, {good}, {bad}, {good}}}, Tolerance()),
            OkStatus());
}

TEST(LrnOnGpu, AndItsGradient) {
  for (const Shape& shape : {Shape({2, 3, 4, 7}), Shape({1, 2, 2, 40}), Shape({0, 2, 2, 3})}) {
    const Tensor x = TestNumbers(shape, DType::kFloat, 1), y = TestNumbers(shape, DType::kFloat, 2);
    const Tensor dy = TestNumbers(shape, DType::kFloat, 3);
    for (const float beta : {0.5f, 0.75f, 1.0f, 0.3f}) {
      for (const int radius : {0, 2, 50}) {
        const std::vector<std::pair<std::string, AttrValue>> attrs = {
            {"beta", beta}, {"depth_radius", radius}, {"alpha", 0.5f}, {"bias", 2.0f}};
        EXPECT_EQ(GpuAsCpu({"LRN", attrs, {{x}}}, ToleranceOf(DType::kFloat)), OkStatus());
        EXPECT_EQ(GpuAsCpu({"LRNGrad", attrs, {{dy}, {x}, {y}}}, {1e-4, 1e-4}), OkStatus());
      }
    }
  }
  const Tensor matrix = TestNumbers(Shape({2, 3}), DType::kFloat, 1);
  EXPECT_EQ(GpuAsCpu({"LRN", {}, {{matrix}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"LRNGrad", {}, {{matrix}, {matrix}, {matrix}}}, Tolerance()), OkStatus());
}

}  // namespace
}  // namespace warpbeam
