// Unique on GPUs finds what it does on the CPU, in the order of first appearance.
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

constexpr const char* kUniqueOps[] = {"Unique", "UniqueWithCounts"};

// Few different numbers, or many.
Tensor Repeating(DType dtype, int64_t count, int different) {
  std::vector<int32_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int32_t>(i * 7919 % 104729) % different;
  }
  return OpRunner("Cast")
      .Attr("DstT", dtype)
      .Input(Tensor::Vector<int32_t>(values))
      .RunOne()
      .value_or(Tensor());
}
void ExpectAsOnCpu(const Tensor& x, DType index = DType::kInt32) {
  for (const char* op : kUniqueOps) {
    EXPECT_EQ(GpuAsCpu({op, {{"out_idx", index}}, {{x}}}, Tolerance()), OkStatus())
        << op << DTypeName(x.dtype());
  }
}

TEST(UniqueOnGpu, EachType) {
  for (const DType dtype : {DType::kBool, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                            DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64,
                            DType::kHalf, DType::kBFloat16, DType::kFloat, DType::kDouble}) {
    ExpectAsOnCpu(Repeating(dtype, 50, 11));
    ExpectAsOnCpu(Repeating(dtype, 50, 11), DType::kInt64);
  }
}

TEST(UniqueOnGpu, ManyAndFewAmongThousands) {
  for (const int different : {1, 100, 100000}) {
    ExpectAsOnCpu(Repeating(DType::kInt64, 9000, different));
    ExpectAsOnCpu(Repeating(DType::kFloat, 9000, different));
  }
}

TEST(UniqueOnGpu, ZerosAreAlikeAndNoTwoNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  ExpectAsOnCpu(
      Tensor::Vector<float>({0.0f, nan, -0.0f, infinity, nan, -infinity, infinity, 1.0f}));
  ExpectAsOnCpu(Tensor::Vector<double>({-0.0, 0.0, nan, nan, nan}));
}

TEST(UniqueOnGpu, NoElementsAndNoVector) {
  ExpectAsOnCpu(Tensor::Vector<int32_t>(std::vector<int32_t>()));
  ExpectAsOnCpu(Tensor::FromValues<int32_t>(Shape({1, 2}), {1, 2}));
}

}  // namespace
}  // namespace warpbeam
