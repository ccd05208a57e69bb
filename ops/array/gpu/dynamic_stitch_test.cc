// DynamicStitch on GPUs puts together what it does on the CPU.
#include <vector>

#include "gtest/gtest.h"
#include "ops/array/gpu/counting_tensor.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

Status AsOnCpu(const std::vector<Tensor>& indices, const std::vector<Tensor>& data) {
  return GpuAsCpu({"DynamicStitch", {}, {indices, data}}, Tolerance());
}
Tensor Places(const Shape& shape, const std::vector<int32_t>& places) {
  return Tensor::FromValues<int32_t>(shape, places);
}

TEST(DynamicStitchOnGpu, EachType) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble,
                            DType::kInt32, DType::kInt64, DType::kComplex64, DType::kComplex128}) {
    EXPECT_EQ(AsOnCpu({Places(Shape({}), {6}), Places(Shape({2}), {4, 1}),
                       Places(Shape({2, 2}), {5, 2, 0, 3})},
                      {CountingTensor(dtype, Shape({2})), CountingTensor(dtype, Shape({2, 2})),
                       CountingTensor(dtype, Shape({2, 2, 2}))}),
              OkStatus())
        << DTypeName(dtype);
  }
}

TEST(DynamicStitchOnGpu, TheLastRowForAPlaceStaysAndPlacesWithoutOneAreZero) {
  EXPECT_EQ(AsOnCpu({Places(Shape({4}), {0, 9, 0, 3}), Places(Shape({2}), {3, 3})},
                    {CountingTensor(DType::kFloat, Shape({4, 3})),
                     CountingTensor(DType::kFloat, Shape({2, 3}))}),
            OkStatus());
}

TEST(DynamicStitchOnGpu, ThousandsOfRowsAndNone) {
  std::vector<int32_t> places(3000);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int32_t>(i * 7 % 3001);
  EXPECT_EQ(
      AsOnCpu({Places(Shape({3000}), places)}, {CountingTensor(DType::kInt32, Shape({3000}))}),
      OkStatus());
  EXPECT_EQ(AsOnCpu({Places(Shape({0}), {})}, {CountingTensor(DType::kFloat, Shape({0, 2}))}),
            OkStatus());
}

TEST(DynamicStitchOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor two = CountingTensor(DType::kFloat, Shape({2, 2}));
  EXPECT_EQ(AsOnCpu({Places(Shape({2}), {0, -1})}, {two}), OkStatus());
  EXPECT_EQ(AsOnCpu({Places(Shape({3}), {0, 1, 2})}, {two}), OkStatus());
  EXPECT_EQ(AsOnCpu({Places(Shape({2}), {0, 1}), Places(Shape({1}), {2})},
                    {two, CountingTensor(DType::kFloat, Shape({1, 3}))}),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
