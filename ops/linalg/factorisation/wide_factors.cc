#include "ops/linalg/factorisation/wide_factors.h"
// After the settings in eigen_matrix.h.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace warpbeam {

template <class W>
Eigenpairs<W> FindEigenpairs(const WideMatrix<W>& a, bool with_vectors) {
  const Eigen::SelfAdjointEigenSolver<WideMatrix<W>> solver(
      a, with_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  Eigenpairs<W> pairs;
  pairs.found = solver.info() == Eigen::Success;
  if (!pairs.found) return pairs;
  pairs.values = solver.eigenvalues();
  if (with_vectors) pairs.vectors = solver.eigenvectors();
  return pairs;
}

template <class W>
SingularFactors<W> FindSingularFactors(const WideMatrix<W>& a, SingularVectors vectors) {
  unsigned int options = 0;
  if (vectors == SingularVectors::kThin) options = Eigen::ComputeThinU | Eigen::ComputeThinV;
  if (vectors == SingularVectors::kFull) options = Eigen::ComputeFullU | Eigen::ComputeFullV;
  const Eigen::BDCSVD<WideMatrix<W>> svd(a, options);
  SingularFactors<W> factors;
  factors.values = svd.singularValues();
  if (options == 0) return factors;
  factors.u = svd.matrixU();
  factors.v = svd.matrixV();
  return factors;
}

#define WB_WIDE_FACTORS(W)                                              \
  template Eigenpairs<W> FindEigenpairs<W>(const WideMatrix<W>&, bool); \
  template SingularFactors<W> FindSingularFactors<W>(const WideMatrix<W>&, SingularVectors);
WB_WIDE_FACTORS(double)
WB_WIDE_FACTORS(Complex128)
#undef WB_WIDE_FACTORS

}  // namespace warpbeam
