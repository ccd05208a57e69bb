// Eigen's dense matrices over the bytes of tensors: row-major, sizes known at run time, and one
// thread, because the threads are ours to share out.
//
//   const ConstMatrixView<double> a(x.data<double>() + i * n * n, n, n);
//   MatrixView<double>(y, n, n) = a.adjoint();
//
// Thread safety: pure. A view owns nothing. Errors: Eigen throws std::bad_alloc where it finds no
// memory; ForEachMatrix turns that into a status.
#ifndef WARPBEAM_OPS_LINALG_EIGEN_MATRIX_H_
#define WARPBEAM_OPS_LINALG_EIGEN_MATRIX_H_

#ifndef EIGEN_DONT_PARALLELIZE
#define EIGEN_DONT_PARALLELIZE 1
#endif
#include <Eigen/Core>
#include <complex>
#include <type_traits>

#include "graph/types/dtype.h"
#include "ops/launch/type_list.h"

namespace warpbeam {

template <class T>
using RowMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using MatrixView = Eigen::Map<RowMatrix<T>>;
template <class T>
using ConstMatrixView = Eigen::Map<const RowMatrix<T>>;

// The element types that decompositions are compiled for.
using FieldTypes = TypeList<float, double, std::complex<float>, std::complex<double>>;
inline constexpr TypeSet kFieldTypes = {DType::kFloat, DType::kDouble, DType::kComplex64,
                                        DType::kComplex128};
inline constexpr TypeSet kRealFieldTypes = {DType::kFloat, DType::kDouble};

// What a stored element is computed in: 16-bit floats are computed in float.
template <class Stored>
using ComputedType = std::conditional_t<std::is_same_v<Stored, Half>, float, Stored>;

// A matrix of stored elements, ready to be computed with, and back.
template <class Stored>
RowMatrix<ComputedType<Stored>> LoadMatrix(const Stored* from, int64_t rows, int64_t cols) {
  RowMatrix<ComputedType<Stored>> matrix(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) {
    matrix.data()[i] = static_cast<ComputedType<Stored>>(from[i]);
  }
  return matrix;
}
template <class Stored>
void StoreMatrix(const RowMatrix<ComputedType<Stored>>& matrix, Stored* to) {
  for (int64_t i = 0; i < matrix.size(); ++i) to[i] = static_cast<Stored>(matrix.data()[i]);
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_EIGEN_MATRIX_H_
