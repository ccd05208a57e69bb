// The product of a matrix given by its three diagonals and a dense one, and what the kernels of
// TridiagonalMatMul have in common, whatever device they are on; in both passes.
//
//   const TridiagonalProduct<float> product = {n, columns, above, on, below, x};
//   const float y = product.At(2, 1);
//
// Thread safety: values. Errors: INVALID_ARGUMENT for shapes that do not fit.
#ifndef WARPBEAM_OPS_LINALG_TRIDIAGONAL_MAT_MUL_H_
#define WARPBEAM_OPS_LINALG_TRIDIAGONAL_MAT_MUL_H_

#include <cstdint>

#include "ops/launch/pass.h"
#if WB_HOST_PASS
#include "graph/types/errors.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/kernel_context.h"
#endif

namespace warpbeam::WB_PASS {

template <class T>
struct TridiagonalProduct {
  int64_t n, columns;
  const T* above;
  const T* on;
  const T* below;
  const T* x;  // [n, columns]

  WB_HD T At(int64_t row, int64_t column) const {
    const T* const at = x + row * columns + column;
    T sum = on[row] * *at;
    if (row + 1 < n) sum = sum + above[row] * at[columns];
    if (row > 0) sum = sum + below[row] * at[-columns];
    return sum;
  }
};

#if WB_HOST_PASS
// The matrices of the right-hand side (input 3), once the diagonals have been checked.
StatusOr<MatrixBatch> CheckDiagonals(const KernelContext& ctx);
#endif

}  // namespace warpbeam::WB_PASS

#endif  // WARPBEAM_OPS_LINALG_TRIDIAGONAL_MAT_MUL_H_
