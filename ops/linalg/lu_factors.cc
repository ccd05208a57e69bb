#include "ops/linalg/lu_factors.h"

#include "ops/linalg/eigen_matrix.h"
// After the settings in eigen_matrix.h.
#include <Eigen/LU>
#include <algorithm>

namespace warpbeam {

template <class T>
int FactorLu(int64_t n, T* matrix, int32_t* permutation) {
  if (n == 0) return 1;
  Eigen::Ref<RowMatrix<T>> view = MatrixView<T>(matrix, n, n);
  const Eigen::PartialPivLU<Eigen::Ref<RowMatrix<T>>> lu(view);
  const auto& to = lu.permutationP().indices();
  for (int64_t i = 0; i < n; ++i) permutation[to(i)] = static_cast<int32_t>(i);
  return static_cast<int>(lu.permutationP().determinant());
}

template <class T>
bool IsInvertible(int64_t n, const T* lu) {
  if (n == 0) return true;
  auto least = std::abs(lu[0]);
  for (int64_t i = 1; i < n; ++i) least = std::min(least, std::abs(lu[i * (n + 1)]));
  return least > 0;
}

template <class T>
void SolveLu(int64_t n, int64_t columns, const T* lu, const int32_t* permutation, const T* rhs,
             T* x) {
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(rhs + permutation[i] * columns, columns, x + i * columns);
  }
  const ConstMatrixView<T> factors(lu, n, n);
  MatrixView<T> out(x, n, columns);
  factors.template triangularView<Eigen::UnitLower>().solveInPlace(out);
  factors.template triangularView<Eigen::Upper>().solveInPlace(out);
}

#define WB_LU_FACTORS(T)                            \
  template int FactorLu<T>(int64_t, T*, int32_t*);  \
  template bool IsInvertible<T>(int64_t, const T*); \
  template void SolveLu<T>(int64_t, int64_t, const T*, const int32_t*, const T*, T*);
WB_LU_FACTORS(float)
WB_LU_FACTORS(double)
WB_LU_FACTORS(std::complex<float>)
WB_LU_FACTORS(std::complex<double>)
#undef WB_LU_FACTORS

}  // namespace warpbeam
