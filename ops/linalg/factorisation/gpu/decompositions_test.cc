// SelfAdjointEigV2 and Svd on GPUs: their values are the CPU's. Vectors are one of many choices:
// that they are orthonormal and give the matrix again is what is tested.
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/gpu_as_cpu.h"
#include "ops/launch/gpu_op_runner.h"
#include "ops/launch/op_runner.h"
#include "ops/linalg/eigen_matrix.h"
#include "ops/linalg/testing/random_matrices.h"

namespace warpbeam {
namespace {

using Matrix = Eigen::MatrixXcd;

// Matrix `index` of a tensor of matrices.
template <class T>
Matrix MatrixAt(const Tensor& x, int64_t index) {
  const int64_t rows = x.dim(x.rank() - 2), columns = x.dim(x.rank() - 1);
  Matrix matrix(rows, columns);
  const T* const first = x.data<T>() + index * rows * columns;
  for (int64_t i = 0; i < rows * columns; ++i) {
    matrix(i / columns, i % columns) = std::complex<double>(first[i]);
  }
  return matrix;
}
// Vector `index` of a tensor of vectors, as a diagonal of that shape.
template <class T>
Matrix DiagonalAt(const Tensor& x, int64_t index, int64_t rows, int64_t columns) {
  Matrix matrix = Matrix::Zero(rows, columns);
  const int64_t n = x.dim(x.rank() - 1);
  for (int64_t i = 0; i < n; ++i) {
    matrix(i, i) = std::complex<double>(x.data<T>()[index * n + i]);
  }
  return matrix;
}

template <class T>
void ExpectNear(const Matrix& got, const Matrix& want) {
  ASSERT_EQ(got.rows(), want.rows());
  ASSERT_EQ(got.cols(), want.cols());
  if (want.size() == 0) return;
  const double largest = (got - want).cwiseAbs().maxCoeff();
  EXPECT_LE(largest, PrecisionOf<T>().absolute * (1 + want.cwiseAbs().maxCoeff()));
}
template <class T>
void ExpectOrthonormalColumns(const Matrix& x) {
  ExpectNear<T>(x.adjoint() * x, Matrix::Identity(x.cols(), x.cols()));
}

template <class T>
class EigOnGpu : public ::testing::Test {};
using FieldTestTypes = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(EigOnGpu, FieldTestTypes);

template <class T>
void ExpectEigenpairs(const Tensor& x, const std::vector<Tensor>& got) {
  ASSERT_EQ(got.size(), 2);
  const Tensor &e = got[0], &v = got[1];
  ASSERT_EQ(v.shape(), x.shape());
  const int64_t n = x.dim(x.rank() - 1);
  for (int64_t i = 0; n > 0 && i < x.num_elements() / (n * n); ++i) {
    const Matrix lower = MatrixAt<T>(x, i), vectors = MatrixAt<T>(v, i);
    Matrix whole = lower.triangularView<Eigen::Lower>();
    whole.triangularView<Eigen::StrictlyUpper>() = whole.adjoint();
    ExpectOrthonormalColumns<T>(vectors);
    ExpectNear<T>(vectors * DiagonalAt<T>(e, i, n, n) * vectors.adjoint(), whole);
  }
}

TYPED_TEST(EigOnGpu, OfManySizes) {
  using T = TypeParam;
  for (const Shape& shape : SquareShapes()) {
    SCOPED_TRACE(shape.ToString());
    const Tensor x = LowerTriangles<T>(shape, 31, 0);
    EXPECT_EQ(GpuAsCpu({"SelfAdjointEigV2", {{"compute_v", false}}, {{x}}},
                       {0, 4 * PrecisionOf<T>().absolute}),
              OkStatus());
    const auto cpu = OpRunner("SelfAdjointEigV2").Input(x).Run();
    ASSERT_TRUE(cpu.ok()) << cpu.status();
    for (const GpuMode mode : GpuModes()) {
      const auto gpu = GpuOpRunner("SelfAdjointEigV2", mode).Input(x).RunAll();
      ASSERT_TRUE(gpu.ok()) << gpu.status();
      EXPECT_EQ(CompareTensors((*gpu)[0], (*cpu)[0], {0, 4 * PrecisionOf<T>().absolute}),
                OkStatus());
      ExpectEigenpairs<T>(x, *gpu);
    }
  }
}

TYPED_TEST(EigOnGpu, RefusesNanByTheNumberOfTheMatrix) {
  using T = TypeParam;
  Tensor x = LowerTriangles<T>(Shape({3, 4, 4}), 31, 0);
  x.data<T>()[16 + 4] = T(std::numeric_limits<RealPartOf<T>>::quiet_NaN());
  for (const GpuMode mode : GpuModes()) {
    const Status status = GpuOpRunner("SelfAdjointEigV2", mode).Input(x).RunAll().status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.ToString().find("matrix 1 of 3"), std::string::npos) << status;
    EXPECT_NE(status.ToString().find("the eigenvalues were not found"), std::string::npos);
  }
}

TEST(EigOfShapesOnGpu, AsOnTheCpu) {
  const Tensor nan = Tensor::FromValues<float>(Shape({1, 1}), {NAN});
  EXPECT_EQ(GpuAsCpu({"SelfAdjointEigV2", {}, {{nan}}}, {}), OkStatus());
  const Tensor wide = RandomNumbers<float>(Shape({2, 3}), 3);
  EXPECT_EQ(GpuAsCpu({"SelfAdjointEigV2", {}, {{wide}}}, {}), OkStatus());
}

template <class T>
class SvdOnGpu : public ::testing::Test {};
using RealTestTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SvdOnGpu, RealTestTypes);

template <class T>
void ExpectSingularFactors(const Tensor& x, const std::vector<Tensor>& got) {
  const Tensor &s = got[0], &u = got[1], &v = got[2];
  const int64_t size = x.dim(x.rank() - 2) * x.dim(x.rank() - 1);
  for (int64_t i = 0; size > 0 && i < x.num_elements() / size; ++i) {
    const Matrix left = MatrixAt<T>(u, i), right = MatrixAt<T>(v, i);
    ExpectOrthonormalColumns<T>(left);
    ExpectOrthonormalColumns<T>(right);
    ExpectNear<T>(left * DiagonalAt<T>(s, i, left.cols(), right.cols()) * right.adjoint(),
                  MatrixAt<T>(x, i));
  }
}

TYPED_TEST(SvdOnGpu, OfManySizes) {
  using T = TypeParam;
  std::vector<Shape> shapes = SquareShapes();
  for (const Shape& shape : {Shape({5, 2}), Shape({2, 5}), Shape({33, 7}), Shape({7, 33}),
                             Shape({3, 6, 2}), Shape({2, 2, 3, 5}), Shape({1, 4}), Shape({4, 1}),
                             Shape({0, 4}), Shape({3, 0}), Shape({2, 0, 3}), Shape({0, 2, 5})}) {
    shapes.push_back(shape);
  }
  const Tolerance values = {0, 4 * PrecisionOf<T>().absolute};
  for (const Shape& shape : shapes) {
    const Tensor x = RandomNumbers<T>(shape, 37);
    EXPECT_EQ(GpuAsCpu({"Svd", {{"compute_uv", false}}, {{x}}}, values), OkStatus())
        << shape.ToString();
    for (const bool full : {true, false}) {
      SCOPED_TRACE(shape.ToString() + (full ? ", full" : ""));
      const auto cpu = OpRunner("Svd").Attr("full_matrices", full).Input(x).Run();
      ASSERT_TRUE(cpu.ok()) << cpu.status();
      for (const GpuMode mode : GpuModes()) {
        const auto gpu = GpuOpRunner("Svd", mode).Attr("full_matrices", full).Input(x).RunAll();
        ASSERT_TRUE(gpu.ok()) << gpu.status();
        ASSERT_EQ(gpu->size(), 3);
        EXPECT_EQ(CompareTensors((*gpu)[0], (*cpu)[0], values), OkStatus());
        for (size_t i = 1; i < 3; ++i) {
          EXPECT_EQ(CompareForm((*gpu)[i], (*cpu)[i]), OkStatus());
          if (x.num_elements() == 0) {
            EXPECT_EQ(CompareTensors((*gpu)[i], (*cpu)[i], {}), OkStatus());
          }
        }
        ExpectSingularFactors<T>(x, *gpu);
      }
    }
  }
}

// In one matrix of three.
TYPED_TEST(SvdOnGpu, OfWhatIsNotFiniteIsNan) {
  using T = TypeParam;
  for (const Shape& shape : {Shape({3, 4, 2}), Shape({3, 2, 4})}) {
    Tensor x = RandomNumbers<T>(shape, 37);
    x.data<T>()[8 + 3] = std::numeric_limits<T>::infinity();
    for (const GpuMode mode : GpuModes()) {
      const auto gpu = GpuOpRunner("Svd", mode).Input(x).RunAll();
      ASSERT_TRUE(gpu.ok()) << gpu.status();
      for (const Tensor& factor : *gpu) {
        const int64_t each = factor.num_elements() / 3;
        for (int64_t i = 0; i < factor.num_elements(); ++i) {
          EXPECT_EQ(std::isnan(factor.data<T>()[i]), i / each == 1);
        }
      }
    }
  }
}

TEST(SvdOfShapesOnGpu, AsOnTheCpu) {
  EXPECT_EQ(GpuAsCpu({"Svd", {}, {{RandomNumbers<float>(Shape({3}), 3)}}}, {}), OkStatus());
  const Tensor x = RandomNumbers<double>(Shape({2, 4, 3}), 3);
  EXPECT_EQ(GpuAsCpu({"BatchSvd", {{"compute_uv", false}}, {{x}}}, PrecisionOf<double>()),
            OkStatus());
}

}  // namespace
}  // namespace warpbeam
