// Reductions on simulated GPUs give what they give on the CPU.
#include <complex>
#include <limits>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

constexpr DType kFloats[] = {DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble};

OpCall Reducing(const char* op, const Tensor& x, const std::vector<int32_t>& axes,
                bool keep_dims = false) {
  return {op, {{"keep_dims", keep_dims}}, {{x}, {Tensor::Vector<int32_t>(axes)}}};
}

// Rows, columns, both, turns of kept and reduced dimensions, everything and nothing; few results of
// many elements, which are cut into pieces, and many of few.
struct Case {
  Shape shape;
  std::vector<int32_t> axes;
};
const Case kCases[] = {
    {Shape({}), {}},
    {Shape({7}), {0}},
    {Shape({1}), {0}},
    {Shape({50000}), {0}},
    {Shape({3, 5}), {1}},
    {Shape({2000, 3}), {1}},
    {Shape({3, 2000}), {-1}},
    {Shape({3, 30000}), {1}},
    {Shape({3, 5}), {0}},
    {Shape({30000, 3}), {0}},
    {Shape({17, 1000}), {0}},
    {Shape({400, 70}), {0}},
    {Shape({4, 5, 6}), {0, 2}},
    {Shape({16, 10, 20, 20}), {0, 2, 3}},
    {Shape({16, 20, 20, 10}), {0, 1, 2}},
    {Shape({4, 50, 6}), {1}},
    {Shape({2, 3, 4, 5, 6, 7}), {0, 2, 4}},
    {Shape({2, 3, 4, 5, 6, 7}), {1, 3, 5}},
    {Shape({2, 1, 4}), {1}},
    {Shape({0, 5}), {0}},
    {Shape({5, 0}), {0}},
};

TEST(ReduceOnGpu, SumsOfAllShapesAndTypes) {
  for (const Case& c : kCases) {
    for (const DType dtype : kFloats) {
      for (const bool keep_dims : {false, true}) {
        const Tensor x = SmallNumbers(c.shape, dtype);
        for (const char* op : {"Sum", "Mean", "EuclideanNorm"}) {
          EXPECT_EQ(GpuAsCpu(Reducing(op, x, c.axes, keep_dims), ToleranceFor(dtype)), OkStatus())
              << op << " of " << DTypeName(dtype) << c.shape.ToString();
        }
      }
    }
  }
}

TEST(ReduceOnGpu, ExtremaAndProductsOfAllShapesAndTypes) {
  for (const Case& c : kCases) {
    for (const DType dtype : kFloats) {
      const Tensor x = SmallNumbers(c.shape, dtype);
      for (const char* op : {"Max", "Min"}) {
        EXPECT_EQ(GpuAsCpu(Reducing(op, x, c.axes), Tolerance()), OkStatus())
            << op << " of " << DTypeName(dtype) << c.shape.ToString();
      }
    }
    for (const DType dtype : {DType::kInt64, DType::kInt32}) {
      const Tensor x = SmallNumbers(c.shape, dtype);
      EXPECT_EQ(GpuAsCpu(Reducing("Prod", x, c.axes), Tolerance()), OkStatus());
    }
    const Tensor numbers = SmallNumbers(c.shape, DType::kInt64);
    for (const char* op : {"Sum", "Max"}) {
      EXPECT_EQ(GpuAsCpu(Reducing(op, numbers, c.axes), Tolerance()), OkStatus());
    }
    for (const int seed : {1, 37}) {
      const Tensor flags = SmallNumbers(c.shape, DType::kBool, seed);
      for (const char* op : {"Any", "All"}) {
        EXPECT_EQ(GpuAsCpu(Reducing(op, flags, c.axes), Tolerance()), OkStatus());
      }
    }
  }
}

TEST(ReduceOnGpu, ProductsOfFloats) {
  for (const DType dtype : kFloats) {
    const Tensor x = SmallNumbers(Shape({6, 8}), dtype);
    for (const std::vector<int32_t>& axes : {std::vector<int32_t>{0}, {1}}) {
      EXPECT_EQ(GpuAsCpu(Reducing("Prod", x, axes), ToleranceFor(dtype)), OkStatus())
          << DTypeName(dtype);
    }
    // In pieces.
    const Tensor ones =
        OpRunner("OnesLike").Input(SmallNumbers(Shape({9000}), dtype)).RunOne().value_or(Tensor());
    EXPECT_EQ(GpuAsCpu(Reducing("Prod", ones, {0}), Tolerance()), OkStatus());
  }
}

TEST(ReduceOnGpu, ComplexNumbers) {
  for (const DType dtype : {DType::kComplex64, DType::kComplex128}) {
    const Tensor re = SmallNumbers(Shape({40, 100}), dtype);
    const Tensor im = SmallNumbers(Shape({40, 100}), dtype, 11);
    const Tensor i = Tensor::Scalar(std::complex<double>(0, 1));
    const Tensor unit = OpRunner("Cast").Attr("DstT", dtype).Input(i).RunOne().value_or(Tensor());
    const Tensor turned = OpRunner("Mul").Input(im).Input(unit).RunOne().value_or(Tensor());
    const Tensor x = OpRunner("AddV2").Input(re).Input(turned).RunOne().value_or(Tensor());
    for (const char* op : {"Sum", "Mean", "EuclideanNorm"}) {
      for (const std::vector<int32_t>& axes : {std::vector<int32_t>{0}, {1}, {0, 1}}) {
        EXPECT_EQ(GpuAsCpu(Reducing(op, x, axes), ToleranceFor(dtype)), OkStatus()) << op;
      }
    }
    const Tensor few = OpRunner("Slice")
                           .Input(x)
                           .Input(Tensor::Vector<int32_t>({0, 0}))
                           .Input(Tensor::Vector<int32_t>({5, 6}))
                           .RunOne()
                           .value_or(Tensor());
    Tolerance tolerance = ToleranceFor(dtype);
    tolerance.absolute = 0.1;  // of numbers around 1e4, whose parts cancel out
    EXPECT_EQ(GpuAsCpu(Reducing("Prod", few, {0}), tolerance), OkStatus());
  }
}

TEST(ReduceOnGpu, NoNumbersAndInfinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::FromValues<float>(
      Shape({4, 3}), {1, nan, 2, 1, kInfinity, 2, 1, -kInfinity, 1, 300, 300, -300});
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod"}) {
    for (const int32_t axis : {0, 1}) {
      EXPECT_EQ(GpuAsCpu(Reducing(op, x, {axis}), Tolerance()), OkStatus()) << op;
    }
  }
}

TEST(ReduceOnGpu, RefusesAxesThatTheTensorLacks) {
  const Tensor x = SmallNumbers(Shape({2, 3}), DType::kFloat);
  EXPECT_EQ(GpuAsCpu(Reducing("Sum", x, {2}), Tolerance()), OkStatus());
  EXPECT_EQ(GpuAsCpu(Reducing("Sum", x, {1, 1}), Tolerance()), OkStatus());
}

}  // namespace
}  // namespace warpbeam
