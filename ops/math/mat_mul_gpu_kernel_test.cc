// MatMul on simulated GPUs gives what it gives on the CPU.
#include <vector>

#include "graph/types/testing/tensor_compare.h"
#include "gtest/gtest.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/gpu_products.h"
#include "ops/launch/op_runner.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

// Small whole numbers: sums are exact in every type.
Tensor Matrix(int64_t rows, int64_t columns, bool transpose, DType dtype) {
  std::vector<double> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7 % 5) - 2;
  const Shape shape = transpose ? Shape({columns, rows}) : Shape({rows, columns});
  const Tensor x = Tensor::FromValues<double>(shape, values);
  auto cast = OpRunner("Cast").Attr("DstT", dtype).Input(x).RunOne();
  EXPECT_TRUE(cast.ok()) << cast.status();
  return cast.ok() ? *cast : Tensor();
}

template <class Runner>
Runner& WithAttrs(Runner& runner, bool ta, bool tb, const Tensor& a, const Tensor& b) {
  return runner.Attr("transpose_a", ta).Attr("transpose_b", tb).Input(a).Input(b);
}

void ExpectAsOnCpu(bool ta, bool tb, const Tensor& a, const Tensor& b) {
  OpRunner on_cpu("MatMul");
  const auto want = WithAttrs(on_cpu, ta, tb, a, b).RunOne();
  ASSERT_TRUE(want.ok()) << want.status();
  for (const GpuMode mode : GpuModes()) {
    GpuOpRunner on_gpu("MatMul", mode);
    const auto got = WithAttrs(on_gpu, ta, tb, a, b).Run();
    ASSERT_TRUE(got.ok()) << got.status();
    const Status same = CompareTensors(*got, *want, {});
    EXPECT_TRUE(same.ok()) << same << DTypeName(a.dtype()) << ta << tb << a.shape().ToString();
  }
}

constexpr DType kTypes[] = {DType::kHalf,   DType::kBFloat16,  DType::kFloat,
                            DType::kDouble, DType::kComplex64, DType::kComplex128};

// From vectors to sizes at which the CPU goes to the library's code for one size.
TEST(MatMulOnGpu, TypesAndTranspositions) {
  struct Size {
    int64_t m, n, k;
  };
  for (const Size s : {Size{2, 3, 4}, Size{1, 30, 21}, Size{30, 1, 7}, Size{161, 96, 70}}) {
    for (const DType dtype : kTypes) {
      for (const bool ta : {false, true}) {
        for (const bool tb : {false, true}) {
          ExpectAsOnCpu(ta, tb, Matrix(s.m, s.k, ta, dtype), Matrix(s.k, s.n, tb, dtype));
        }
      }
    }
  }
}

TEST(MatMulOnGpu, EmptyMatrices) {
  for (const DType dtype : {DType::kHalf, DType::kFloat, DType::kComplex128}) {
    ExpectAsOnCpu(false, false, Matrix(2, 0, false, dtype), Matrix(0, 3, false, dtype));
    ExpectAsOnCpu(false, true, Matrix(0, 2, false, dtype), Matrix(2, 3, true, dtype));
    ExpectAsOnCpu(true, false, Matrix(3, 2, true, dtype), Matrix(2, 0, false, dtype));
  }
}

TEST(MatMulOnGpu, RefusesWhatDoesNotFit) {
  for (const GpuMode mode : GpuModes()) {
    const auto inner = GpuOpRunner("MatMul", mode)
                           .Input(Matrix(2, 3, false, DType::kFloat))
                           .Input(Matrix(2, 1, false, DType::kFloat))
                           .Run();
    EXPECT_EQ(inner.status().code(), StatusCode::kInvalidArgument) << inner.status();
    EXPECT_NE(inner.status().message().find("Matrix size-incompatible"), std::string::npos)
        << inner.status();
    const auto rank = GpuOpRunner("MatMul", mode)
                          .Input(Tensor::Vector<float>({1, 2}))
                          .Input(Matrix(2, 1, false, DType::kFloat))
                          .Run();
    EXPECT_EQ(rank.status().code(), StatusCode::kInvalidArgument) << rank.status();
  }
}

// The side of simulated GPUs has every type for which MatMul is declared on GPUs, and its kernel
// there is the one that launches.
TEST(MatMulOnGpu, IsThereForAllTypes) {
  for (const DType dtype : kTypes) {
    AttrMap attrs;
    attrs.Set("T", dtype);
    const KernelDecl* const decl = KernelRegistry::Global().Find("MatMul", attrs, DeviceType::kGpu);
    ASSERT_NE(decl, nullptr);
    ASSERT_NE(decl->has_gpu_code, nullptr);
    EXPECT_EQ(decl->has_gpu_code(attrs), HasGpuProducts(dtype));
  }
}

}  // namespace
}  // namespace warpbeam
