// ArgMax and ArgMin on simulated GPUs give what they give on the CPU.
#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

Status AsOnCpu(const char* op, const Tensor& x, int axis, DType result = DType::kInt64) {
  return GpuAsCpu({op, {{"output_type", result}}, {{x}, {Tensor::Scalar<int32_t>(axis)}}}, {});
}

TEST(ArgOnGpu, TypesAndShapes) {
  const Shape shapes[] = {Shape({1}),         Shape({7}),       Shape({5000}),    Shape({3, 5}),
                          Shape({300, 40}),   Shape({2, 2000}), Shape({2000, 2}), Shape({4, 50, 6}),
                          Shape({4, 6, 100}), Shape({0, 3})};
  for (const Shape& shape : shapes) {
    for (const DType dtype :
         {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble, DType::kBool}) {
      const Tensor x = SmallNumbers(shape, dtype);
      for (int axis = -1; axis < shape.rank(); ++axis) {
        for (const char* op : {"ArgMax", "ArgMin"}) {
          for (const DType result : {DType::kInt32, DType::kInt64}) {
            EXPECT_EQ(AsOnCpu(op, x, axis, result), OkStatus())
                << op << DTypeName(dtype) << shape.ToString() << axis;
          }
        }
      }
    }
  }
}

TEST(ArgOnGpu, NoNumbersAndInfinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::FromValues<float>(
      Shape({4, 4}), {nan, 1, nan, 2, nan, nan, nan, nan, -kInfinity, -kInfinity, -kInfinity,
                      -kInfinity, kInfinity, nan, kInfinity, 3});
  for (const char* op : {"ArgMax", "ArgMin"}) {
    for (const int axis : {0, 1}) EXPECT_EQ(AsOnCpu(op, x, axis), OkStatus()) << op << axis;
  }
}

TEST(ArgOnGpu, RefusesAnAxisThatIsEmptyOrNotThere) {
  EXPECT_EQ(AsOnCpu("ArgMax", SmallNumbers(Shape({2, 0}), DType::kFloat), 1), OkStatus());
  EXPECT_EQ(AsOnCpu("ArgMax", SmallNumbers(Shape({2, 3}), DType::kFloat), 2), OkStatus());
}

}  // namespace
}  // namespace warpbeam
