// Ops on dense matrices on GPUs give what they give on the CPU: of every type, of batches, of none,
// and of matrices of many sizes; and they refuse what the CPU refuses.
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/linalg/testing/random_matrices.h"

namespace warpbeam {
namespace {

template <class T>
class SolverOnGpu : public ::testing::Test {
 protected:
  static void Expect(const OpCall& call) {
    EXPECT_EQ(GpuAsCpu(call, PrecisionOf<T>()), OkStatus());
  }
};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(SolverOnGpu, Types);

// A matrix of as many rows as one of `square`.
Shape RightHandSides(const Shape& square, int64_t columns) {
  return square.WithDim(square.rank() - 1, columns).value_or(Shape());
}

TYPED_TEST(SolverOnGpu, Cholesky) {
  for (const Shape& shape : SquareShapes()) {
    SCOPED_TRACE(shape.ToString());
    const double more = 3 * static_cast<double>(shape.dim(shape.rank() - 1)) + 1;
    this->Expect({"Cholesky", {}, {{LowerTriangles<TypeParam>(shape, 3, more)}}});
  }
}

TYPED_TEST(SolverOnGpu, CholeskyOfWhatIsNotPositiveDefiniteIsNan) {
  Tensor x = LowerTriangles<TypeParam>(Shape({3, 4, 4}), 3, 9);
  x.data<TypeParam>()[16 + 5] = TypeParam(-1);
  this->Expect({"Cholesky", {}, {{x}}});
}

TYPED_TEST(SolverOnGpu, MatrixTriangularSolve) {
  for (const Shape& shape : SquareShapes()) {
    const double more = 3 + static_cast<double>(shape.dim(shape.rank() - 1));
    const Tensor a = WeightedMatrices<TypeParam>(shape, 5, more);
    for (const int64_t columns : {1, 4}) {
      const Tensor b = RandomNumbers<TypeParam>(RightHandSides(shape, columns), 7);
      for (const bool lower : {true, false}) {
        for (const bool adjoint : {true, false}) {
          SCOPED_TRACE(shape.ToString());
          this->Expect(
              {"MatrixTriangularSolve", {{"lower", lower}, {"adjoint", adjoint}}, {{a}, {b}}});
        }
      }
    }
  }
}

TYPED_TEST(SolverOnGpu, MatrixTriangularSolveBroadcasts) {
  const std::pair<Shape, Shape> shapes[] = {{Shape({4, 4}), Shape({3, 2, 4, 5})},
                                            {Shape({3, 1, 4, 4}), Shape({1, 2, 4, 5})},
                                            {Shape({2, 3, 4, 4}), Shape({4, 2})},
                                            {Shape({2, 1, 4, 4}), Shape({2, 3, 4, 0})}};
  for (const auto& [matrix, rhs] : shapes) {
    SCOPED_TRACE(matrix.ToString() + rhs.ToString());
    const Tensor a = WeightedMatrices<TypeParam>(matrix, 5, 6);
    this->Expect({"MatrixTriangularSolve", {}, {{a}, {RandomNumbers<TypeParam>(rhs, 7)}}});
  }
}

TYPED_TEST(SolverOnGpu, Lu) {
  for (const DType index : {DType::kInt32, DType::kInt64}) {
    for (const Shape& shape : SquareShapes()) {
      SCOPED_TRACE(shape.ToString());
      const Tensor x = InvertibleMatrices<TypeParam>(shape, 11);
      this->Expect({"Lu", {{"output_idx_type", index}}, {{x}}});
    }
  }
}

TYPED_TEST(SolverOnGpu, Determinants) {
  for (const Shape& shape : SquareShapes()) {
    if (shape.dim(shape.rank() - 1) > 33) continue;  // is beyond float
    SCOPED_TRACE(shape.ToString());
    const Tensor x = InvertibleMatrices<TypeParam>(shape, 13);
    this->Expect({"LogMatrixDeterminant", {}, {{x}}});
    if (shape.dim(shape.rank() - 1) < 10) this->Expect({"MatrixDeterminant", {}, {{x}}});
  }
}

TYPED_TEST(SolverOnGpu, DeterminantsOfSingularMatricesAreZero) {
  Tensor x = InvertibleMatrices<TypeParam>(Shape({3, 2, 2}), 13);
  for (int i = 4; i < 8; ++i) x.data<TypeParam>()[i] = TypeParam(0);
  this->Expect({"MatrixDeterminant", {}, {{x}}});
  this->Expect({"LogMatrixDeterminant", {}, {{x}}});
}

TYPED_TEST(SolverOnGpu, MatrixSolve) {
  for (const Shape& shape : SquareShapes()) {
    const Tensor a = InvertibleMatrices<TypeParam>(shape, 17);
    for (const int64_t columns : {0, 1, 3}) {
      const Tensor b = RandomNumbers<TypeParam>(RightHandSides(shape, columns), 19);
      for (const bool adjoint : {true, false}) {
        SCOPED_TRACE(shape.ToString());
        this->Expect({"MatrixSolve", {{"adjoint", adjoint}}, {{a}, {b}}});
      }
    }
  }
}

TYPED_TEST(SolverOnGpu, MatrixInverse) {
  for (const Shape& shape : SquareShapes()) {
    for (const bool adjoint : {true, false}) {
      SCOPED_TRACE(shape.ToString());
      const Tensor x = InvertibleMatrices<TypeParam>(shape, 23);
      this->Expect({"MatrixInverse", {{"adjoint", adjoint}}, {{x}}});
    }
  }
}

TEST(MatrixTriangularSolveOnGpu, OfTheOlderOp) {
  const Tensor a = WeightedMatrices<double>(Shape({2, 3, 3}), 5, 6);
  const Tensor b = RandomNumbers<double>(Shape({2, 3, 2}), 7);
  EXPECT_EQ(GpuAsCpu({"BatchMatrixTriangularSolve", {{"lower", false}}, {{a}, {b}}},
                     PrecisionOf<double>()),
            OkStatus());
}

TEST(MatrixTriangularSolveOnGpu, DividesByZero) {
  const Tensor a = Tensor::FromValues<float>(Shape({2, 2}), {0, 0, 1, 1});
  const Tensor b = Tensor::FromValues<float>(Shape({2, 1}), {1, 2});
  EXPECT_EQ(GpuAsCpu({"MatrixTriangularSolve", {}, {{a}, {b}}}, {}), OkStatus());
}

TEST(SolversOnGpu, RefuseShapesThatTheCpuRefuses) {
  const Tensor wide = RandomNumbers<float>(Shape({2, 3}), 3);
  const Tensor line = RandomNumbers<float>(Shape({3}), 3);
  const Tensor square = RandomNumbers<float>(Shape({3, 3}), 3);
  for (const char* op :
       {"Cholesky", "Lu", "MatrixDeterminant", "LogMatrixDeterminant", "MatrixInverse"}) {
    EXPECT_EQ(GpuAsCpu({op, {}, {{wide}}}, {}), OkStatus());
    EXPECT_EQ(GpuAsCpu({op, {}, {{line}}}, {}), OkStatus());
  }
  for (const char* op : {"MatrixTriangularSolve", "MatrixSolve"}) {
    EXPECT_EQ(GpuAsCpu({op, {}, {{wide}, {wide}}}, {}), OkStatus());
    EXPECT_EQ(GpuAsCpu({op, {}, {{square}, {wide}}}, {}), OkStatus());
    EXPECT_EQ(GpuAsCpu({op, {}, {{square}, {line}}}, {}), OkStatus());
  }
}

// The third of four, and one alone.
TEST(SolversOnGpu, RefuseSingularMatricesByTheirNumber) {
  Tensor some = InvertibleMatrices<double>(Shape({4, 3, 3}), 29);
  for (int i = 18; i < 27; ++i) some.data<double>()[i] = 0;
  const Tensor one = Tensor::FromValues<double>(Shape({2, 2}), {1, 2, 2, 4});
  const std::pair<std::string, std::string> refusals[] = {
      {"Lu", "the matrix is singular: it has a pivot of zero"},
      {"MatrixInverse", "Input is not invertible."},
      {"MatrixSolve", "Input matrix is not invertible."}};
  for (const GpuMode mode : GpuModes()) {
    for (const auto& [op, message] : refusals) {
      for (const Tensor& x : {some, one}) {
        GpuOpRunner runner(op, mode);
        runner.Input(x);
        if (op == "MatrixSolve") runner.Input(x);
        const Status status = runner.RunAll().status();
        EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
        EXPECT_NE(status.ToString().find(message), std::string::npos) << status;
        EXPECT_EQ(status.ToString().find("matrix 2 of 4") != std::string::npos, x.rank() == 3)
            << status;
      }
    }
  }
}

// A first pivot that is no number is refused, a later one is not.
TEST(SolversOnGpu, TakeNanAsTheCpuDoes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& values :
       {std::vector<double>{nan, nan, nan, nan}, {2, 1, 1, nan}, {nan, 0, 0, 1}}) {
    const Tensor x = Tensor::FromValues<double>(Shape({2, 2}), values);
    EXPECT_EQ(GpuAsCpu({"MatrixInverse", {}, {{x}}}, {}), OkStatus());
    EXPECT_EQ(GpuAsCpu({"MatrixDeterminant", {}, {{x}}}, {}), OkStatus());
  }
}

}  // namespace
}  // namespace warpbeam
