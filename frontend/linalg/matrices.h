// Matrices: what tf has of them itself (tf.matrix_inverse, tf.cholesky, tf.norm, tf.einsum…). More
// of tf.linalg is in frontend/linalg/linalg.h.
//
//   Output distance = Norm(scope, Subtract(scope, p, q), NormOptions().axis({-1}));
//   Output product = Einsum(scope, "bij,bjk->bik", {a, b});
//   SvdParts svd = Svd(scope, a);                          // a == u * diag(s) * v'
//
// The last two dimensions are those of the matrix, those before them are a batch. Functions of one
// op or two build TensorFlow's nodes under its names; what all of them compute is the same.
//
// Ownership: none. Thread safety: that of the Scope. Errors: kept in the scope; a matrix that is
// singular or not positive definite is an error of the step.
#ifndef WARPBEAM_FRONTEND_LINALG_MATRICES_H_
#define WARPBEAM_FRONTEND_LINALG_MATRICES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/input.h"
#include "frontend/scope.h"

namespace warpbeam {
namespace frontend {

// Ones in the diagonal; by default as many columns as rows.
Output Eye(ScopeRef scope, int64_t rows, std::optional<int64_t> columns = std::nullopt,
           const std::vector<int64_t>& batch_shape = {}, DType dtype = DType::kFloat);
Output MatrixTranspose(ScopeRef scope, const Output& x, bool conjugate = false);

// A diagonal that is a matrix of twice as many dimensions, and back.
Output Diag(ScopeRef scope, const Input& x);
Output DiagPart(ScopeRef scope, const Input& x);
// The last dimension as the k-th diagonal of matrices, and back; k above 0 is above the main one.
Output MatrixDiag(ScopeRef scope, const Input& diagonal, int k = 0);
Output MatrixDiagPart(ScopeRef scope, const Input& x, int k = 0);
Output MatrixSetDiag(ScopeRef scope, const Input& x, const Input& diagonal, int k = 0);
// Zeros below `lower` diagonals and above `upper` ones; below 0 all are kept.
Output MatrixBandPart(ScopeRef scope, const Input& x, const Input& lower, const Input& upper);
Output Trace(ScopeRef scope, const Input& x);
// The vector product over the last dimension, of three elements.
Output Cross(ScopeRef scope, const Input& a, const Input& b);

// The sum over the last `axes` dimensions of a and the first ones of b, or over pairs of
// dimensions.
Output Tensordot(ScopeRef scope, const Output& a, const Output& b, int axes);
Output Tensordot(ScopeRef scope, const Output& a, const Output& b, const std::vector<int>& axes_a,
                 const std::vector<int>& axes_b);
// "ij,jk->ik": letters that stand on the right are kept, the others summed over. Of more than two
// tensors the first ones are joined first.
Output Einsum(ScopeRef scope, const std::string& equation, const std::vector<Output>& inputs);

struct NormOptions {
  // The p of the norm, infinity too; by default the root of the sum of squares. Of a matrix: 1, 2
  // (the greatest singular value) and infinity.
  NormOptions& ord(double value) {
    order = value;
    return *this;
  }
  // One dimension for vectors, two for matrices; by default x as one vector.
  NormOptions& axis(std::vector<int> value) {
    axes = std::move(value);
    return *this;
  }
  NormOptions& keep_dims(bool value) {
    keeps_dims = value;
    return *this;
  }

  std::optional<double> order;
  std::vector<int> axes;
  bool keeps_dims = false;
};
Output Norm(ScopeRef scope, const Output& x, const NormOptions& options = NormOptions());

Output MatrixDeterminant(ScopeRef scope, const Input& x);
Output MatrixInverse(ScopeRef scope, const Input& x, bool adjoint = false);
Output MatrixSquareRoot(ScopeRef scope, const Input& x);
// y with a * y == b, or adjoint(a) * y == b.
Output MatrixSolve(ScopeRef scope, const Input& a, const Input& b, bool adjoint = false);
// Of a triangular matrix, of which only the lower or the upper half is read.
Output MatrixTriangularSolve(ScopeRef scope, const Input& a, const Input& b, bool lower = true,
                             bool adjoint = false);
// y for which the squares of a * y - b (and l2_regularizer times those of y) sum to least; fast, by
// the normal equations, or by a decomposition that bears columns which depend on each other.
Output MatrixSolveLs(ScopeRef scope, const Output& a, const Output& b, double l2_regularizer = 0,
                     bool fast = true);

// The lower triangle l with l * l' == x, and y with x * y == b of it.
Output Cholesky(ScopeRef scope, const Input& x);
Output CholeskySolve(ScopeRef scope, const Output& l, const Output& b);

struct EigenParts {
  Output e;  // the eigenvalues, the least first
  Output v;  // the eigenvectors, as columns
};
// Of a matrix that is its own adjoint, of which the lower half is read.
EigenParts SelfAdjointEig(ScopeRef scope, const Input& x);
Output SelfAdjointEigvals(ScopeRef scope, const Input& x);

struct QrParts {
  Output q;
  Output r;
};
QrParts Qr(ScopeRef scope, const Input& x, bool full_matrices = false);

struct SvdParts {
  Output s;  // the singular values, the greatest first
  Output u;  // not valid without compute_uv, and so is v
  Output v;
};
SvdParts Svd(ScopeRef scope, const Input& x, bool full_matrices = false, bool compute_uv = true);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_LINALG_MATRICES_H_
