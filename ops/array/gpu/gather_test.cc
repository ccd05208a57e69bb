// Gather on simulated GPUs gives what it gives on the CPU, and zeros for indices out of range.
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"

namespace warpbeam {
namespace {

TEST(GatherOnGpu, AlongEachAxisWithEachSize) {
  const Tensor indices = Tensor::FromValues<int32_t>(Shape({2, 3}), {3, 0, 1, 1, 2, 3});
  const Tensor wide = Tensor::Vector<int64_t>({2, 0, 2});
  for (const DType dtype :
       {DType::kBool, DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex128}) {
    const Tensor params = CountingTensor(dtype, Shape({4, 4, 4}));
    const Tensor odd = CountingTensor(dtype, Shape({4, 5, 3}));
    for (int32_t axis = 0; axis < 3; ++axis) {
      const Tensor at = Tensor::Scalar<int32_t>(axis);
      EXPECT_EQ(GpuAsCpu({"GatherV2", {}, {{params}, {indices}, {at}}}, Tolerance()), OkStatus());
      EXPECT_EQ(GpuAsCpu({"GatherV2", {}, {{odd}, {wide}, {at}}}, Tolerance()), OkStatus());
    }
    EXPECT_EQ(GpuAsCpu({"Gather", {}, {{odd}, {wide}}}, Tolerance()), OkStatus());
  }
}

TEST(GatherOnGpu, InBatches) {
  const Tensor params = CountingTensor(DType::kFloat, Shape({2, 3, 4, 5}));
  const Tensor indices = Tensor::FromValues<int32_t>(Shape({2, 3}), {3, 0, 1, 1, 2, 3});
  for (int32_t axis = 2; axis < 4; ++axis) {
    for (int64_t batch = 1; batch < 3; ++batch) {
      EXPECT_EQ(GpuAsCpu({"GatherV2",
                          {{"batch_dims", batch}},
                          {{params}, {indices}, {Tensor::Scalar<int32_t>(axis)}}},
                         Tolerance()),
                OkStatus());
    }
  }
}

TEST(GatherOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor params = CountingTensor(DType::kFloat, Shape({2, 3}));
  const Tensor indices = Tensor::Vector<int32_t>({0});
  EXPECT_EQ(
      GpuAsCpu({"GatherV2", {}, {{params}, {indices}, {Tensor::Scalar<int32_t>(2)}}}, Tolerance()),
      OkStatus());
  EXPECT_EQ(GpuAsCpu({"GatherV2", {}, {{params}, {indices}, {indices}}}, Tolerance()), OkStatus());
}

TEST(GatherOnGpu, AnIndexOutOfRangeGivesZeros) {
  const Tensor params = Tensor::FromValues<float>(Shape({2, 2}), {1, 2, 3, 4});
  for (const GpuMode mode : GpuModes()) {
    const auto y = GpuOpRunner("Gather", mode)
                       .Input(params)
                       .Input(Tensor::Vector<int32_t>({1, 2, -1, 0}))
                       .Run();
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(std::vector<float>(y->data<float>(), y->data<float>() + 8),
              (std::vector<float>{3, 4, 0, 0, 0, 0, 1, 2}));
  }
}

}  // namespace
}  // namespace warpbeam
