// Where on GPUs finds what it finds on the CPU, in the same order.
#include <complex>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/op_runner.h"

namespace warpbeam {
namespace {

// Every so often an element that is not zero.
Tensor Sparse(DType dtype, const Shape& shape, int apart) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % static_cast<size_t>(apart) == 1) values[i] = static_cast<double>(i % 7) - 3;
  }
  const Tensor x = Tensor::FromValues<double>(shape, values);
  return OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne().value_or(Tensor());
}

Status AsOnCpu(const Tensor& x) {
  return GpuAsCpu({"Where", {{"T", x.dtype()}}, {{x}}}, Tolerance());
}

TEST(WhereOnGpu, EachType) {
  for (const DType dtype : {DType::kBool, DType::kInt8, DType::kUInt8, DType::kInt64, DType::kFloat,
                            DType::kDouble, DType::kComplex64, DType::kComplex128}) {
    EXPECT_EQ(AsOnCpu(Sparse(dtype, Shape({5, 3, 4}), 2)), OkStatus()) << DTypeName(dtype);
  }
}

TEST(WhereOnGpu, ManyChunksAndNoneAtAll) {
  for (const int64_t n : {int64_t{1}, int64_t{2047}, int64_t{2048}, int64_t{2049}}) {
    EXPECT_EQ(AsOnCpu(Sparse(DType::kFloat, Shape({n}), 1)), OkStatus()) << n;
    EXPECT_EQ(AsOnCpu(Sparse(DType::kFloat, Shape({n}), 3)), OkStatus()) << n;
  }
  // More chunks than the block that adds up their counts has threads.
  EXPECT_EQ(AsOnCpu(Sparse(DType::kUInt8, Shape({3, 700, 701}), 5)), OkStatus());
  const std::vector<float> zeros(5000, 0.0f);
  EXPECT_EQ(AsOnCpu(Tensor::FromValues<float>(Shape({50, 100}), zeros)), OkStatus());
}

TEST(WhereOnGpu, EmptyTensorsAndWhatIsAndIsNotZero) {
  EXPECT_EQ(AsOnCpu(Tensor::FromValues<float>(Shape({0, 3}), {})), OkStatus());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(AsOnCpu(Tensor::Vector<float>({0.0f, -0.0f, nan, 1e-45f, -1.0f})), OkStatus());
  using Complex = std::complex<float>;
  EXPECT_EQ(AsOnCpu(Tensor::Vector<Complex>({Complex(0, 0), Complex(0, 1), Complex(1, 0)})),
            OkStatus());
}

TEST(WhereOnGpu, RefusesAScalar) { EXPECT_EQ(AsOnCpu(Tensor::Scalar<float>(1)), OkStatus()); }

}  // namespace
}  // namespace warpbeam
