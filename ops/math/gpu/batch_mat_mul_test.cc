// Batches of products on simulated GPUs give what they give on the CPU.
#include <complex>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

constexpr DType kTypes[] = {DType::kHalf,   DType::kBFloat16,  DType::kFloat,
                            DType::kDouble, DType::kComplex64, DType::kComplex128};

// Numbers that are not real where the type has such.
Tensor Matrices(const Shape& shape, DType dtype, int seed) {
  const Tensor x = SmallNumbers(shape, dtype, seed);
  if (!IsComplex(dtype)) return x;
  const Tensor factor = Tensor::Scalar(std::complex<double>(1, 2));
  const Tensor cast =
      OpRunner("Cast").Attr("DstT", dtype).Input(factor).RunOne().value_or(Tensor());
  return OpRunner("Mul").Input(x).Input(cast).RunOne().value_or(Tensor());
}

Status AsOnCpu(const char* op, const Tensor& x, const Tensor& y, bool adj_x, bool adj_y) {
  Tolerance tolerance = ToleranceFor(x.dtype());
  tolerance.absolute *= 20;  // of sums of up to five products of numbers up to six
  return GpuAsCpu({op, {{"adj_x", adj_x}, {"adj_y", adj_y}}, {{x}, {y}}}, tolerance);
}

TEST(BatchMatMulOnGpu, TypesAndAdjoints) {
  for (const DType dtype : kTypes) {
    for (const bool adj_x : {false, true}) {
      for (const bool adj_y : {false, true}) {
        const Tensor x = Matrices(adj_x ? Shape({2, 3, 5, 4}) : Shape({2, 3, 4, 5}), dtype, 37);
        const Tensor y = Matrices(adj_y ? Shape({2, 3, 7, 5}) : Shape({2, 3, 5, 7}), dtype, 11);
        for (const char* op : {"BatchMatMul", "BatchMatMulV2"}) {
          EXPECT_EQ(AsOnCpu(op, x, y, adj_x, adj_y), OkStatus())
              << op << DTypeName(dtype) << adj_x << adj_y;
        }
      }
    }
  }
}

TEST(BatchMatMulOnGpu, TheThirdVersion) {
  const Tensor x = Matrices(Shape({2, 3, 5}), DType::kFloat, 37);
  const Tensor y = Matrices(Shape({5, 2}), DType::kFloat, 11);
  EXPECT_EQ(GpuAsCpu({"BatchMatMulV3", {{"Tout", DType::kFloat}}, {{x}, {y}}},
                     ToleranceFor(DType::kFloat)),
            OkStatus());
}

TEST(BatchMatMulOnGpu, LeadingDimensionsThatBroadcast) {
  const struct {
    Shape x, y;
  } cases[] = {
      {Shape({4, 5}), Shape({3, 5, 2})},
      {Shape({3, 4, 5}), Shape({5, 2})},
      {Shape({2, 1, 4, 5}), Shape({3, 5, 2})},
      {Shape({2, 3, 4, 5}), Shape({2, 1, 5, 2})},
      {Shape({2, 1, 3, 4, 5}), Shape({6, 1, 5, 2})},
      {Shape({4, 5}), Shape({5, 2})},
      {Shape({2, 4, 0}), Shape({2, 0, 3})},
      {Shape({0, 4, 5}), Shape({5, 2})},
  };
  for (const auto& c : cases) {
    const Tensor x = Matrices(c.x, DType::kDouble, 37), y = Matrices(c.y, DType::kDouble, 11);
    EXPECT_EQ(AsOnCpu("BatchMatMulV2", x, y, false, false), OkStatus())
        << c.x.ToString() << c.y.ToString();
  }
}

TEST(BatchMatMulOnGpu, RefusesWhatDoesNotFit) {
  const auto refuses = [](const Shape& x, const Shape& y) {
    const OpCall call = {
        "BatchMatMul", {}, {{Matrices(x, DType::kFloat, 37)}, {Matrices(y, DType::kFloat, 11)}}};
    EXPECT_EQ(GpuAsCpu(call, {}), OkStatus()) << x.ToString() << y.ToString();
  };
  refuses(Shape({3}), Shape({3, 2}));
  refuses(Shape({2, 3}), Shape({2, 3}));
  refuses(Shape({2, 2, 3}), Shape({1, 3, 2}));
}

}  // namespace
}  // namespace warpbeam
