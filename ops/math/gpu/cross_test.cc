// Cross products on simulated GPUs have the CPU's bits.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

TEST(CrossOnGpu, TypesAndShapes) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble,
                            DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                            DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    for (const Shape& shape : {Shape({3}), Shape({4, 3}), Shape({0, 3}), Shape({20, 50, 3})}) {
      const OpCall call = {
          "Cross", {}, {{SmallNumbers(shape, dtype)}, {SmallNumbers(shape, dtype, 11)}}};
      EXPECT_EQ(GpuAsCpu(call, {}), OkStatus()) << DTypeName(dtype) << shape.ToString();
    }
  }
}

TEST(CrossOnGpu, RefusesOtherShapes) {
  const auto refuses = [](const Shape& a, const Shape& b) {
    const OpCall call = {
        "Cross", {}, {{SmallNumbers(a, DType::kFloat)}, {SmallNumbers(b, DType::kFloat)}}};
    EXPECT_EQ(GpuAsCpu(call, {}), OkStatus()) << a.ToString() << b.ToString();
  };
  refuses(Shape({3}), Shape({1, 3}));
  refuses(Shape({}), Shape({}));
  refuses(Shape({2, 4}), Shape({2, 4}));
}

}  // namespace
}  // namespace warpbeam
