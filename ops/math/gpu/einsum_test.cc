// Einsum on simulated GPUs gives what it gives on the CPU.
#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/math/gpu/numbers_testing.h"

namespace warpbeam {
namespace {

Status AsOnCpu(const std::string& equation, const std::vector<Tensor>& operands) {
  Tolerance tolerance = ToleranceFor(operands[0].dtype());
  tolerance.absolute *= 40;  // of sums of products of numbers up to six
  return GpuAsCpu({"Einsum", {{"equation", equation}}, {operands}}, tolerance);
}

constexpr DType kTypes[] = {DType::kHalf,   DType::kBFloat16,  DType::kFloat,
                            DType::kDouble, DType::kComplex64, DType::kComplex128};

TEST(EinsumOnGpu, OneOperand) {
  for (const DType dtype : kTypes) {
    const Tensor x = SmallNumbers(Shape({2, 3, 4}), dtype);
    for (const char* equation :
         {"abc->abc", "abc->cab", "abc->b", "abc->", "a...->...a", "abc->ca", "abc->aabc"}) {
      EXPECT_EQ(AsOnCpu(equation, {x}), OkStatus()) << equation << DTypeName(dtype);
    }
    const Tensor square = SmallNumbers(Shape({3, 3, 2}), dtype);
    for (const char* equation : {"aab->ab", "aab->ba", "aab->b", "aab->baa"}) {
      EXPECT_EQ(AsOnCpu(equation, {square}), OkStatus()) << equation << DTypeName(dtype);
    }
  }
}

TEST(EinsumOnGpu, TwoOperands) {
  const struct {
    const char* equation;
    Shape x, y;
  } cases[] = {
      {"ab,bc->ac", Shape({3, 4}), Shape({4, 5})},
      {"ab,cb->ac", Shape({3, 4}), Shape({5, 4})},
      {"ba,bc->ca", Shape({4, 3}), Shape({4, 5})},
      {"abc,cd->abd", Shape({2, 3, 4}), Shape({4, 5})},
      {"btnh,bsnh->bnts", Shape({2, 3, 4, 5}), Shape({2, 6, 4, 5})},
      {"bnts,bsnh->btnh", Shape({2, 4, 3, 6}), Shape({2, 6, 4, 5})},
      {"...ij,...jk->...ik", Shape({2, 3, 4}), Shape({2, 4, 5})},
      {"...ij,...jk->...ik", Shape({1, 3, 4}), Shape({2, 4, 5})},
      {"a,b->ab", Shape({3}), Shape({4})},
      {"a,a->", Shape({7}), Shape({7})},
      {"abx,bc->ac", Shape({3, 4, 2}), Shape({4, 5})},
      {"ab,bc->ac", Shape({3, 0}), Shape({0, 5})},
      {"ab,bc->ac", Shape({0, 4}), Shape({4, 5})},
  };
  for (const DType dtype : kTypes) {
    for (const auto& c : cases) {
      EXPECT_EQ(AsOnCpu(c.equation, {SmallNumbers(c.x, dtype), SmallNumbers(c.y, dtype, 11)}),
                OkStatus())
          << c.equation << DTypeName(dtype);
    }
  }
}

TEST(EinsumOnGpu, RefusesExtentsThatDiffer) {
  const Tensor x = SmallNumbers(Shape({2, 3}), DType::kFloat);
  EXPECT_EQ(AsOnCpu("ab,bc->ac", {x, x}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
