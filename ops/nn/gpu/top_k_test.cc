// TopK, TopKV2 and ApproxTopK on simulated GPUs give what they give on the CPU, bit by bit.
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/nn/gpu_loops/numbers_testing.h"

namespace warpbeam {
namespace {

Status SameTopK(const Tensor& x, int k) {
  const OpCall call{"TopKV2", {}, {{x}, {Tensor::Scalar<int32_t>(k)}}};
  return GpuAsCpu(call, Tolerance());
}

// Most elements occur often. Rows that are sorted as they are, and rows of which the best are found
// first, to be sorted in either memory.
TEST(TopKOnGpu, TypesAndSizes) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble,
                            DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64}) {
    for (const auto& [shape, k] : std::vector<std::pair<Shape, int>>{{Shape({1}), 1},
                                                                     {Shape({3, 5}), 2},
                                                                     {Shape({2, 70}), 70},
                                                                     {Shape({3, 1000}), 9},
                                                                     {Shape({2, 1500}), 1},
                                                                     {Shape({2, 1500}), 700},
                                                                     {Shape({2, 3000}), 2000},
                                                                     {Shape({20000}), 100},
                                                                     {Shape({2, 1500}), 1500},
                                                                     {Shape({4, 6}), 0},
                                                                     {Shape({0, 6}), 2}}) {
      const Tensor x = TestNumbers(shape, dtype, 1);
      EXPECT_EQ(SameTopK(x, k), OkStatus()) << DTypeName(dtype) << shape.ToString() << k;
    }
  }
}

TEST(TopKOnGpu, NumbersWithoutASign) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 3000; ++i) values.push_back(i * 2654435761u);
  const Tensor x = Tensor::FromValues<uint32_t>(Shape({3000}), values);
  EXPECT_EQ(SameTopK(x, 20), OkStatus());
  std::vector<uint8_t> bytes(values.begin(), values.end());
  EXPECT_EQ(SameTopK(Tensor::FromValues<uint8_t>(Shape({2, 1500}), bytes), 800), OkStatus());
}

// Zeros of both signs are equal, and so are all NaNs, which are less than every number.
TEST(TopKOnGpu, ZerosInfinitiesAndNaN) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::nanf("");
  const std::vector<float> special = {0, -0.0f, nan, kInfinity, -kInfinity, -nan, 1, -1, 0, -0.0f};
  for (const int repeats : {1, 200}) {
    std::vector<float> values;
    for (int i = 0; i < repeats; ++i) values.insert(values.end(), special.begin(), special.end());
    const int64_t n = static_cast<int64_t>(values.size());
    const Tensor x = Tensor::FromValues<float>(Shape({n}), values);
    for (const int64_t k : {n / 10, n / 2, 9 * n / 10, n}) {
      EXPECT_EQ(SameTopK(x, static_cast<int>(k)), OkStatus()) << k;
    }
  }
}

TEST(TopKOnGpu, OtherOpsAndRefusals) {
  const Tensor x = TestNumbers(Shape({4, 30}), DType::kFloat, 1);
  EXPECT_EQ(GpuAsCpu({"TopK", {{"k", 3}}, {{x}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"ApproxTopK", {{"k", 3}}, {{x}}}, Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu({"ApproxTopK", {{"k", 3}, {"is_max_k", false}}, {{x}}}, Tolerance()),
            OkStatus());
  EXPECT_EQ(SameTopK(x, 31), OkStatus());
  EXPECT_EQ(SameTopK(x, -1), OkStatus());
  EXPECT_EQ(SameTopK(Tensor::Scalar<float>(1), 0), OkStatus());
}

}  // namespace
}  // namespace warpbeam
