// Factors that are found by iterating, in double (ops/linalg/wide_matrix.h): compiled once for the
// CPU's kernels and simulated GPUs. Matrices stand column by column; W is double or
// complex<double>.
//
//   const WideMatrix<double> a = LoadWide(x.data<float>(), n, n);
//   const Eigenpairs<double> pairs = FindEigenpairs(a, /*with_vectors=*/true);
//   if (pairs.found) Use(pairs.values, pairs.vectors);
//
// Thread safety: pure. Errors: std::bad_alloc, see eigen_matrix.h.
#ifndef WARPBEAM_OPS_LINALG_FACTORISATION_WIDE_FACTORS_H_
#define WARPBEAM_OPS_LINALG_FACTORISATION_WIDE_FACTORS_H_

#include "ops/linalg/wide_matrix.h"

namespace warpbeam {

template <class W>
using WideMatrix = Eigen::Matrix<W, Eigen::Dynamic, Eigen::Dynamic>;

template <class W>
struct Eigenpairs {
  bool found = false;      // not of a matrix that holds NaN or infinity
  Eigen::VectorXd values;  // in ascending order
  WideMatrix<W> vectors;   // by column
};
// Of a matrix that is its own adjoint, of which the lower triangle is read.
template <class W>
Eigenpairs<W> FindEigenpairs(const WideMatrix<W>& a, bool with_vectors);

enum class SingularVectors { kNone, kThin, kFull };
template <class W>
struct SingularFactors {
  Eigen::VectorXd values;  // in descending order
  WideMatrix<W> u, v;      // u diag(values) v^H is the matrix
};
// Of a matrix without NaN and infinity.
template <class W>
SingularFactors<W> FindSingularFactors(const WideMatrix<W>& a, SingularVectors vectors);

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_LINALG_FACTORISATION_WIDE_FACTORS_H_
