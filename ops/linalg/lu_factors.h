// LU factors with partial pivoting, compiled once for the ops that are made of them.
//
//   std::vector<int32_t> rows(n);
//   const int sign = FactorLu(n, a, rows.data());             // a: L below the diagonal, U above
//   if (IsInvertible(n, a)) SolveLu(n, columns, a, rows.data(), rhs, x);
//
// Matrices are row-major. Element types: float, double and both complex types.
//
// Thread safety: pure but for what is written. Errors: none; NaN gives NaN. A zero on U's diagonal
// means that there is no inverse, and so does NaN as its first element; NaN behind it does not.
#ifndef WARPBEAM_OPS_LINALG_LU_FACTORS_H_
#define WARPBEAM_OPS_LINALG_LU_FACTORS_H_

#include <cstdint>

namespace warpbeam {

// Row i of L * U is row permutation[i] of the matrix; the result is the permutation's sign.
template <class T>
int FactorLu(int64_t n, T* matrix, int32_t* permutation);

// Whether no element of U's diagonal is zero or NaN.
template <class T>
bool IsInvertible(int64_t n, const T* lu);

// x, of n x columns, such that (the matrix) x = rhs. `x` and `rhs` do not overlap.
template <class T>
void SolveLu(int64_t n, int64_t columns, const T* lu, const int32_t* permutation, const T* rhs,
             T* x);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_LU_FACTORS_H_
