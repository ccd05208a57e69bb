// Decompositions that iterate are computed in double, whatever the tensor's element type: they are
// as accurate as the type can show, and the library's code is compiled for two types, not for five.
//
//   RowMatrix<WideType<T>> a = LoadWide(x.data<T>() + i * n * n, n, n);
//   StoreWide<T>(a.transpose(), y);
//
// Thread safety: pure. Errors: std::bad_alloc, see eigen_matrix.h.
#ifndef WARPBEAM_OPS_LINALG_WIDE_MATRIX_H_
#define WARPBEAM_OPS_LINALG_WIDE_MATRIX_H_

#include "ops/linalg/eigen_matrix.h"

namespace warpbeam {

// double for real element types, complex<double> for complex ones.
template <class Stored>
struct WideTypeOf {
  using type = double;
};
template <class Real>
struct WideTypeOf<std::complex<Real>> {
  using type = std::complex<double>;
};
template <class Stored>
using WideType = typename WideTypeOf<Stored>::type;

using Complex128 = std::complex<double>;

template <class Stored>
RowMatrix<WideType<Stored>> LoadWide(const Stored* from, int64_t rows, int64_t cols) {
  RowMatrix<WideType<Stored>> matrix(rows, cols);
  for (int64_t i = 0; i < rows * cols; ++i) {
    matrix.data()[i] = static_cast<WideType<Stored>>(from[i]);
  }
  return matrix;
}
template <class Stored>
void StoreWide(const RowMatrix<WideType<Stored>>& matrix, Stored* to) {
  for (int64_t i = 0; i < matrix.size(); ++i) to[i] = static_cast<Stored>(matrix.data()[i]);
}

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_WIDE_MATRIX_H_
