// Sums of many tensors on simulated GPUs have the CPU's bits.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

std::vector<Tensor> Addends(int n, const Shape& shape, DType dtype) {
  std::vector<Tensor> x;
  for (int i = 0; i < n; ++i) x.push_back(SmallNumbers(shape, dtype, 37 + i));
  return x;
}

TEST(AddNOnGpu, TypesAndNumbersOfInputs) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble,
                            DType::kInt64, DType::kUInt32, DType::kComplex64, DType::kComplex128}) {
    for (const int n : {1, 2, 3, 8, 9, 30}) {
      for (const Shape& shape : {Shape({}), Shape({3, 5}), Shape({0}), Shape({3001})}) {
        const OpCall call = {"AddN", {}, {Addends(n, shape, dtype)}};
        EXPECT_EQ(GpuAsCpu(call, {}), OkStatus()) << n << DTypeName(dtype);
      }
    }
  }
}

TEST(AddNOnGpu, MoreInputsThanOneLaunchTakes) {
  for (const DType dtype : {DType::kHalf, DType::kFloat}) {
    const OpCall call = {"AddN", {}, {Addends(600, Shape({9}), dtype)}};
    EXPECT_EQ(GpuAsCpu(call, {}), OkStatus());
  }
}

TEST(AddNOnGpu, AccumulateNV2) {
  const OpCall call = {"AccumulateNV2",
                       {{"shape", PartialShape({2, 3})}},
                       {Addends(4, Shape({2, 3}), DType::kFloat)}};
  EXPECT_EQ(GpuAsCpu(call, {}), OkStatus());
}

TEST(AddNOnGpu, Averages) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble}) {
    for (const float divisor : {1.0f, 4.0f, 3.0f}) {
      const OpCall call = {
          "_Average", {{"divisor", divisor}, {"scale", 0.7f}}, {Addends(5, Shape({101}), dtype)}};
      EXPECT_EQ(GpuAsCpu(call, {}), OkStatus()) << DTypeName(dtype) << divisor;
    }
  }
}

TEST(AddNOnGpu, RefusesOtherShapes) {
  std::vector<Tensor> x = Addends(3, Shape({2, 3}), DType::kFloat);
  x.push_back(SmallNumbers(Shape({3, 2}), DType::kFloat));
  EXPECT_EQ(GpuAsCpu({"AddN", {}, {x}}, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
