// tf.linalg: what tf itself has not, and the short names of what it has
// (frontend/linalg/matrices.h).
//
//   Output y = linalg::Matvec(scope, a, x);
//   linalg::Normalized unit = linalg::Normalize(scope, x, NormOptions().axis({1}));
//   Output log_volume = linalg::Logdet(scope, covariance);
//
// Ownership: none. Thread safety: that of the Scope. Errors: those of matrices.h.
#ifndef WARPBEAM_FRONTEND_LINALG_LINALG_H_
#define WARPBEAM_FRONTEND_LINALG_LINALG_H_

#include <optional>
#include <utility>

#include "frontend/linalg/matrices.h"

namespace warpbeam {
namespace frontend {
namespace linalg {

using frontend::Cholesky;
using frontend::CholeskySolve;
using frontend::Cross;
using frontend::Einsum;
using frontend::Eye;
using frontend::MatrixTranspose;
using frontend::Norm;
using frontend::Qr;
using frontend::Svd;
using frontend::Tensordot;
using frontend::Trace;

// tf.matrix_*, tf.diag… under their names in tf.linalg.
Output BandPart(ScopeRef scope, const Input& x, const Input& lower, const Input& upper);
Output Det(ScopeRef scope, const Input& x);
Output Diag(ScopeRef scope, const Input& diagonal, int k = 0);
Output DiagPart(ScopeRef scope, const Input& x, int k = 0);
Output SetDiag(ScopeRef scope, const Input& x, const Input& diagonal, int k = 0);
Output TensorDiag(ScopeRef scope, const Input& x);
Output TensorDiagPart(ScopeRef scope, const Input& x);
EigenParts Eigh(ScopeRef scope, const Input& x);
Output Eigvalsh(ScopeRef scope, const Input& x);
Output Inv(ScopeRef scope, const Input& x, bool adjoint = false);
Output Lstsq(ScopeRef scope, const Output& a, const Output& b, double l2_regularizer = 0,
             bool fast = true);
Output Solve(ScopeRef scope, const Input& a, const Input& b, bool adjoint = false);
Output Sqrtm(ScopeRef scope, const Input& x);
Output TriangularSolve(ScopeRef scope, const Input& a, const Input& b, bool lower = true,
                       bool adjoint = false);

// The conjugate of the transpose.
Output Adjoint(ScopeRef scope, const Output& x);
// A matrix (of each of a batch) times a vector.
Output Matvec(ScopeRef scope, const Output& a, const Output& x, bool transpose_a = false);

struct EighTridiagonalOptions {
  EighTridiagonalOptions& eigvals_only(bool value) { return without_vectors = value, *this; }
  // Those with the numbers first to last, the least having 0.
  EighTridiagonalOptions& select_indices(int first, int last) {
    return numbers = {first, last}, *this;
  }
  // Those in (least, greatest].
  EighTridiagonalOptions& select_values(double least, double greatest) {
    return range = {least, greatest}, *this;
  }

  bool without_vectors = true;
  std::optional<std::pair<int, int>> numbers;
  std::optional<std::pair<double, double>> range;
};
// Eigenvalues, and unless eigvals_only the vectors, of the matrix that is its own adjoint with
// `alpha` [n] on the diagonal and `beta` [n - 1] above it. The signs of vectors are not determined.
// It is worked out as a whole matrix, in n * n memory.
EigenParts EighTridiagonal(ScopeRef scope, const Output& alpha, const Output& beta,
                           const EighTridiagonalOptions& options = EighTridiagonalOptions());

// The exponential, and the principal logarithm of complex matrices.
Output Expm(ScopeRef scope, const Input& x);
Output Logm(ScopeRef scope, const Input& x);

// The logarithm of the determinant of a matrix that is positive definite.
Output Logdet(ScopeRef scope, const Input& x);
struct SignAndLogarithm {
  Output sign;
  Output log_abs_determinant;
};
SignAndLogarithm Slogdet(ScopeRef scope, const Input& x);
// How many singular values are above `tolerance`, by default the type's precision times the
// greatest extent and the greatest singular value.
Output MatrixRank(ScopeRef scope, const Output& x, std::optional<double> tolerance = std::nullopt);
// The inverse of what is not 0: of singular values above `rcond` times the greatest.
Output Pinv(ScopeRef scope, const Output& x, std::optional<double> rcond = std::nullopt);

struct Normalized {
  Output value;
  Output norm;  // with the dimensions that it goes over
};
Normalized Normalize(ScopeRef scope, const Output& x, const NormOptions& options = NormOptions());

struct LuParts {
  Output lu;  // both triangles in one matrix
  Output p;   // which row stands where
};
LuParts Lu(ScopeRef scope, const Input& x, DType index_type = DType::kInt32);
Output LuReconstruct(ScopeRef scope, const Output& lower_upper, const Output& perm);
Output LuSolve(ScopeRef scope, const Output& lower_upper, const Output& perm, const Output& rhs);
Output LuMatrixInverse(ScopeRef scope, const Output& lower_upper, const Output& perm);

// The diagonals [..., 3, n] above, on and below the main one; elements that stand outside of the
// matrix are not read.
Output TridiagonalMatmul(ScopeRef scope, const Output& diagonals, const Output& rhs);
Output TridiagonalSolve(ScopeRef scope, const Output& diagonals, const Output& rhs,
                        bool partial_pivoting = true);

}  // namespace linalg
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LINALG_LINALG_H_
