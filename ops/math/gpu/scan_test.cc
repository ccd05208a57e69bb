// Running sums, products and logarithms of sums on simulated GPUs are the CPU's.
#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

OpCall Scanning(const char* op, const Tensor& x, int axis, bool exclusive, bool reverse) {
  return {
      op, {{"exclusive", exclusive}, {"reverse", reverse}}, {{x}, {Tensor::Scalar<int32_t>(axis)}}};
}

void ExpectAsOnCpu(const char* op, const Tensor& x, const Tolerance& tolerance) {
  for (int axis = -1; axis < x.rank(); ++axis) {
    for (const bool exclusive : {false, true}) {
      for (const bool reverse : {false, true}) {
        EXPECT_EQ(GpuAsCpu(Scanning(op, x, axis, exclusive, reverse), tolerance), OkStatus())
            << op << DTypeName(x.dtype()) << x.shape().ToString() << axis << exclusive << reverse;
      }
    }
  }
}

const Shape kShapes[] = {Shape({1}),    Shape({5}),         Shape({600}),     Shape({5000}),
                         Shape({3, 7}), Shape({2, 100, 3}), Shape({4, 3000}), Shape({0, 3})};

TEST(ScanOnGpu, SumsOfWholeNumbersAreExact) {
  for (const Shape& shape : kShapes) {
    for (const DType dtype : {DType::kInt32, DType::kInt64}) {
      ExpectAsOnCpu("Cumsum", SmallNumbers(shape, dtype), {});
      ExpectAsOnCpu("Cumprod", SmallNumbers(shape, dtype), {});
    }
    // In eighths, which float adds up without rounding.
    ExpectAsOnCpu("Cumsum", SmallNumbers(shape, DType::kFloat), {});
    ExpectAsOnCpu("Cumsum", SmallNumbers(shape, DType::kDouble), {});
  }
}

TEST(ScanOnGpu, ShortFloats) {
  for (const DType dtype : {DType::kHalf, DType::kBFloat16}) {
    // The CPU rounds at every step: as often as there are elements.
    Tolerance tolerance = ToleranceFor(dtype);
    tolerance.absolute *= 40;
    ExpectAsOnCpu("Cumsum", SmallNumbers(Shape({40, 3}), dtype), tolerance);
    ExpectAsOnCpu("CumulativeLogsumexp", SmallNumbers(Shape({40, 3}), dtype), tolerance);
  }
}

TEST(ScanOnGpu, ProductsAndLogarithmsOfSums) {
  for (const DType dtype : {DType::kFloat, DType::kDouble}) {
    for (const Shape& shape : kShapes) {
      ExpectAsOnCpu("CumulativeLogsumexp", SmallNumbers(shape, dtype), ToleranceFor(dtype));
    }
    for (const Shape& shape : {Shape({1}), Shape({5}), Shape({2, 36, 2})}) {
      ExpectAsOnCpu("Cumprod", SmallNumbers(shape, dtype), ToleranceFor(dtype));
    }
  }
}

TEST(ScanOnGpu, InfinitiesAndNoNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* op : {"Cumsum", "Cumprod", "CumulativeLogsumexp"}) {
    ExpectAsOnCpu(op, Tensor::Vector<float>({1, kInfinity, 2, nan, 3}),
                  ToleranceFor(DType::kFloat));
    ExpectAsOnCpu(op, Tensor::Vector<float>({-kInfinity, -kInfinity, 2}),
                  ToleranceFor(DType::kFloat));
  }
}

TEST(ScanOnGpu, RefusesAnAxisThatIsNotThere) {
  const Tensor x = SmallNumbers(Shape({2, 3}), DType::kFloat);
  EXPECT_EQ(GpuAsCpu(Scanning("Cumsum", x, 2, false, false), {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
