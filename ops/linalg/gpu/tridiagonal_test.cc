// Ops on tridiagonal matrices on simulated GPUs give what they give on the CPU.
#include <complex>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"

namespace warpbeam {
namespace {

template <class T>
Tensor Numbers(const Shape& shape, int factor) {
  std::vector<T> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<float>(static_cast<int>(i) * factor % 23) / 4 - 2);
  }
  return Tensor::FromValues<T>(shape, values);
}
template <>
Tensor Numbers<std::complex<float>>(const Shape& shape, int factor) {
  std::vector<std::complex<float>> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    const int n = static_cast<int>(i) * factor;
    values[i] = {static_cast<float>(n % 23) / 4 - 2, static_cast<float>(n % 17) / 4 - 2};
  }
  return Tensor::FromValues<std::complex<float>>(shape, values);
}

template <class T>
void ExpectProducts(const Tolerance& tolerance) {
  for (const Shape& shape :
       {Shape({5, 3}), Shape({2, 3, 40, 9}), Shape({1, 1}), Shape({0, 4, 2}), Shape({3, 4, 0})}) {
    Shape diagonal = shape.WithDim(shape.rank() - 2, 1).value_or(Shape());
    diagonal = diagonal.WithDim(shape.rank() - 1, shape.dim(shape.rank() - 2)).value_or(Shape());
    const OpCall call{"TridiagonalMatMul",
                      {},
                      {{Numbers<T>(diagonal, 5)},
                       {Numbers<T>(diagonal, 7)},
                       {Numbers<T>(diagonal, 3)},
                       {Numbers<T>(shape, 11)}}};
    EXPECT_EQ(GpuAsCpu(call, tolerance), OkStatus()) << shape.ToString();
  }
}

TEST(TridiagonalMatMulOnGpu, TypesAndShapes) {
  ExpectProducts<float>({});
  ExpectProducts<double>({});
  ExpectProducts<std::complex<float>>({1e-6, 1e-6});
}

TEST(TridiagonalMatMulOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = Numbers<float>(Shape({5, 3}), 3), long_one = Numbers<float>(Shape({1, 6}), 3);
  EXPECT_EQ(GpuAsCpu({"TridiagonalMatMul", {}, {{long_one}, {long_one}, {long_one}, {x}}}, {}),
            OkStatus());
}

template <class T>
void ExpectSolutions(const Tolerance& tolerance) {
  for (const Shape& shape :
       {Shape({5, 3}), Shape({2, 3, 12, 40}), Shape({1, 1}), Shape({0, 4, 2}), Shape({3, 4, 0})}) {
    Shape diagonals = shape.WithDim(shape.rank() - 2, 3).value_or(Shape());
    diagonals = diagonals.WithDim(shape.rank() - 1, shape.dim(shape.rank() - 2)).value_or(Shape());
    for (const bool pivoting : {true, false}) {
      for (const bool perturb : {pivoting, false}) {
        const OpCall call{"TridiagonalSolve",
                          {{"partial_pivoting", pivoting}, {"perturb_singular", perturb}},
                          {{Numbers<T>(diagonals, 5)}, {Numbers<T>(shape, 11)}}};
        EXPECT_EQ(GpuAsCpu(call, tolerance), OkStatus()) << shape.ToString() << pivoting << perturb;
      }
    }
  }
}

TEST(TridiagonalSolveOnGpu, TypesAndShapes) {
  ExpectSolutions<float>({1e-3, 1e-3});
  ExpectSolutions<double>({1e-9, 1e-9});
  ExpectSolutions<std::complex<float>>({1e-3, 1e-3});
}

TEST(TridiagonalSolveOnGpu, SingularSystems) {
  const Tensor b = Numbers<double>(Shape({3, 2}), 3);
  for (const std::vector<double>& diagonals : {std::vector<double>{1, 1, 0, 0, 1, 1, 0, 1, 1},
                                               {0, 0, 0, 0, 0, 0, 0, 0, 0},
                                               {1, 1, 0, 1, 1, 1, 0, 1, 0}}) {
    const Tensor a = Tensor::FromValues<double>(Shape({3, 3}), diagonals);
    for (const bool pivoting : {true, false}) {
      EXPECT_EQ(GpuAsCpu({"TridiagonalSolve", {{"partial_pivoting", pivoting}}, {{a}, {b}}}, {}),
                OkStatus());
    }
    EXPECT_EQ(
        GpuAsCpu({"TridiagonalSolve", {{"perturb_singular", true}}, {{a}, {b}}}, {1e-12, 1e-12}),
        OkStatus());
  }
}

TEST(TridiagonalSolveOnGpu, RefusesWhatTheCpuRefuses) {
  const Tensor x = Numbers<float>(Shape({5, 3}), 3), a = Numbers<float>(Shape({3, 6}), 3);
  EXPECT_EQ(GpuAsCpu({"TridiagonalSolve", {}, {{a}, {x}}}, {}), OkStatus());
  EXPECT_EQ(GpuAsCpu({"TridiagonalSolve", {}, {{a}, {Tensor::Scalar<float>(1)}}}, {}), OkStatus());
}

}  // namespace
}  // namespace warpbeam
