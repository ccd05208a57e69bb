// OneHot on simulated GPUs gives what it gives on the CPU.
#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

TEST(OneHotOnGpu, AxesTypesAndIndicesThatAreOff) {
  for (const DType dtype :
       {DType::kBool, DType::kHalf, DType::kFloat, DType::kDouble, DType::kComplex128}) {
    const Tensor on = CountingTensor(dtype, Shape()), off = [&] {
      const Tensor two = CountingTensor(dtype, Shape({3}));
      return *two.Rows(2, 3).Reshaped(Shape());
    }();
    for (const Tensor& indices : {Tensor::FromValues<int64_t>(Shape({2, 3}), {0, 4, -1, 5, 1, 3}),
                                  Tensor::FromValues<int32_t>(Shape({2, 3}), {0, 4, -1, 5, 1, 3}),
                                  Tensor::FromValues<uint8_t>(Shape({2, 3}), {0, 4, 255, 5, 1, 3}),
                                  Tensor::FromValues<int8_t>(Shape({2, 3}), {0, 4, -1, 5, 1, 3})}) {
      for (int64_t axis = -1; axis < 3; ++axis) {
        EXPECT_EQ(GpuAsCpu({"OneHot",
                            {{"axis", axis}},
                            {{indices}, {Tensor::Scalar<int32_t>(5)}, {on}, {off}}},
                           Tolerance()),
                  OkStatus());
      }
    }
  }
}

TEST(OneHotOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor indices = Tensor::Vector<int32_t>({0, 1});
  const Tensor on = Tensor::Scalar<float>(1), off = Tensor::Scalar<float>(0);
  for (const Tensor& depth : {Tensor::Scalar<int32_t>(-1), indices}) {
    EXPECT_EQ(GpuAsCpu({"OneHot", {}, {{indices}, {depth}, {on}, {off}}}, Tolerance()), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
