#include "frontend/linalg/linalg.h"

#include <algorithm>

#include "frontend/array.h"
#include "frontend/arrays/gather.h"
#include "frontend/arrays/layout.h"
#include "frontend/build.h"
#include "frontend/math.h"
#include "frontend/math/elementwise.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace linalg {
namespace {

// The distance from 1 to the next number of the type.
double PrecisionOf(DType dtype) {
  const bool wide = dtype == DType::kDouble || dtype == DType::kComplex128;
  return wide ? 2.220446049250313e-16 : 1.1920928955078125e-7;
}

// The greater of rows and columns, a number of the type.
Output GreatestExtent(const Scope& inside, const Output& x, DType dtype) {
  const Output extents = ElementsFrom(inside, BuildOutput(inside, "Shape", {x}), -2);
  return Cast(inside, ReduceMax(inside, extents, {0}), dtype);
}

Output Lower(const Scope& inside, const Output& lu) {
  const Output below = MatrixBandPart(inside, lu, -1, 0);
  return MatrixSetDiag(inside, below, OnesLike(inside, MatrixDiagPart(inside, lu)));
}

bool FailMatrix(const Scope& scope, const char* function, const Output& x) {
  if (!scope.ok()) return true;
  if (Input(x).rank() >= 2) return false;
  scope.Fail(InvalidArgument(function,
                             " needs a tensor of a known rank of at least 2, not of shape ",
                             x.shape().ToString()));
  return true;
}

// The rows of matrices in another order, for each of a batch its own.
Output Permuted(const Scope& inside, const Output& x, const Output& order) {
  return Gather(inside, x, order, std::nullopt, Input(order).rank() - 1);
}

}  // namespace

Output BandPart(ScopeRef scope, const Input& x, const Input& lower, const Input& upper) {
  return MatrixBandPart(scope.scope(), x, lower, upper);
}
Output Det(ScopeRef scope, const Input& x) { return MatrixDeterminant(scope.scope(), x); }
Output Diag(ScopeRef scope, const Input& diagonal, int k) {
  return MatrixDiag(scope.scope(), diagonal, k);
}
Output DiagPart(ScopeRef scope, const Input& x, int k) {
  return MatrixDiagPart(scope.scope(), x, k);
}
Output SetDiag(ScopeRef scope, const Input& x, const Input& diagonal, int k) {
  return MatrixSetDiag(scope.scope(), x, diagonal, k);
}
Output TensorDiag(ScopeRef scope, const Input& x) { return frontend::Diag(scope.scope(), x); }
Output TensorDiagPart(ScopeRef scope, const Input& x) {
  return frontend::DiagPart(scope.scope(), x);
}
EigenParts Eigh(ScopeRef scope, const Input& x) { return SelfAdjointEig(scope.scope(), x); }
Output Eigvalsh(ScopeRef scope, const Input& x) { return SelfAdjointEigvals(scope.scope(), x); }
Output Inv(ScopeRef scope, const Input& x, bool adjoint) {
  return MatrixInverse(scope.scope(), x, adjoint);
}
Output Lstsq(ScopeRef scope, const Output& a, const Output& b, double l2_regularizer, bool fast) {
  return MatrixSolveLs(scope.scope(), a, b, l2_regularizer, fast);
}
Output Solve(ScopeRef scope, const Input& a, const Input& b, bool adjoint) {
  return MatrixSolve(scope.scope(), a, b, adjoint);
}
Output Sqrtm(ScopeRef scope, const Input& x) { return MatrixSquareRoot(scope.scope(), x); }
Output TriangularSolve(ScopeRef scope, const Input& a, const Input& b, bool lower, bool adjoint) {
  return MatrixTriangularSolve(scope.scope(), a, b, lower, adjoint);
}

Output Adjoint(ScopeRef scope_ref, const Output& x) {
  const Scope scope = scope_ref.scope();
  return scope(MatrixTranspose(scope.OpenScope("adjoint"), x, /*conjugate=*/true));
}

Output Matvec(ScopeRef scope_ref, const Output& a, const Output& x, bool transpose_a) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("MatVec");
  const Output product = MatMul(inside, a, ExpandDims(inside, x, -1), transpose_a, false);
  return scope(Squeeze(inside, product, {-1}));
}

EigenParts EighTridiagonal(ScopeRef scope_ref, const Output& alpha, const Output& beta,
                           const EighTridiagonalOptions& options) {
  const Scope scope = scope_ref.scope();
  if (!scope.ok()) return EigenParts();
  if (options.numbers.has_value() &&
      (options.numbers->first < 0 || options.numbers->first > options.numbers->second)) {
    scope.Fail(InvalidArgument("EighTridiagonal: there are no eigenvalues from number ",
                               options.numbers->first, " to ", options.numbers->second));
    return EigenParts();
  }
  if (options.range.has_value() && !(options.range->first < options.range->second)) {
    scope.Fail(InvalidArgument("EighTridiagonal: nothing is in the range from ",
                               options.range->first, " to ", options.range->second));
    return EigenParts();
  }
  const Scope inside = scope.OpenScope("eigh_tridiagonal");
  // The lower half is read: below the diagonal stands the conjugate of what is above.
  const bool is_complex = IsComplex(beta.dtype());
  const Output below = is_complex ? BuildOutput(inside, "Conj", {beta}) : beta;
  const Output diagonal = Cast(inside, alpha, beta.dtype());
  const Output whole =
      frontend::Add(inside, MatrixDiag(inside, diagonal, 0), MatrixDiag(inside, below, -1));
  EigenParts parts;
  if (options.without_vectors) {
    parts.e = SelfAdjointEigvals(inside, whole);
  } else {
    parts = SelfAdjointEig(inside, whole);
  }
  if (is_complex) {
    const DType real = beta.dtype() == DType::kComplex64 ? DType::kFloat : DType::kDouble;
    parts.e = BuildOutput(inside, "Real", {parts.e}, OpAttrs().Set("Tout", real));
  }
  if (options.numbers.has_value()) {
    const int first = options.numbers->first, last = options.numbers->second;
    const int count = last - first + 1;
    parts.e = BuildOutput(inside, "Slice",
                          {parts.e, std::vector<int32_t>{first}, std::vector<int32_t>{count}});
    if (!options.without_vectors) {
      parts.v =
          BuildOutput(inside, "Slice",
                      {parts.v, std::vector<int32_t>{0, first}, std::vector<int32_t>{-1, count}});
    }
  }
  if (options.range.has_value()) {
    const Output there = BuildOutput(inside, "LogicalAnd",
                                     {Greater(inside, parts.e, options.range->first),
                                      LessEqual(inside, parts.e, options.range->second)});
    if (!options.without_vectors) parts.v = BooleanMask(inside, parts.v, there, 1);
    parts.e = BooleanMask(inside, parts.e, there);
  }
  return {scope(parts.e), options.without_vectors ? Output() : scope(parts.v)};
}

Output Expm(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  return BuildOutput(scope.Named(scope.OpNameOr("matrix_exponential")), "MatrixExponential", {x});
}

Output Logm(ScopeRef scope, const Input& x) {
  return BuildOutput(scope.scope(), "MatrixLogarithm", {x});
}

Output Logdet(ScopeRef scope_ref, const Input& x) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("logdet");
  const Output diagonal = Real(inside, MatrixDiagPart(inside, Cholesky(inside, x)));
  return scope(
      Multiply(inside, ReduceSum(inside, Log(inside, diagonal), std::vector<int32_t>{-1}), 2));
}

SignAndLogarithm Slogdet(ScopeRef scope, const Input& x) {
  const auto out = BuildOutputs(scope.scope(), "LogMatrixDeterminant", {x}, OpAttrs(), 2);
  return {out[0], out[1]};
}

Output MatrixRank(ScopeRef scope_ref, const Output& x, std::optional<double> tolerance) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("matrix_rank");
  if (FailMatrix(scope, "MatrixRank", x)) return Output();
  const Output s = Svd(inside, x, false, /*compute_uv=*/false).s;
  if (!scope.ok()) return Output();
  Output least;
  if (tolerance.has_value()) {
    least = Constant(inside, *tolerance, s.dtype());
  } else {
    const Output greatest = ReduceMax(inside, s, {-1}, /*keep_dims=*/true);
    least = Multiply(inside, Multiply(inside, GreatestExtent(inside, x, s.dtype()), greatest),
                     PrecisionOf(x.dtype()));
  }
  return scope(ReduceSum(inside, Cast(inside, Greater(inside, s, least), DType::kInt32), {-1}));
}

Output Pinv(ScopeRef scope_ref, const Output& x, std::optional<double> rcond) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("pinv");
  if (FailMatrix(scope, "Pinv", x)) return Output();
  const SvdParts svd = Svd(inside, x);
  if (!scope.ok()) return Output();
  const Output share =
      rcond.has_value()
          ? Constant(inside, *rcond, svd.s.dtype())
          : Multiply(inside, GreatestExtent(inside, x, svd.s.dtype()), 10 * PrecisionOf(x.dtype()));
  const Output cutoff = Multiply(inside, share, ReduceMax(inside, svd.s, {-1}, /*keep_dims=*/true));
  // The inverse of what is cut off is 0.
  const Output counts = Greater(inside, svd.s, cutoff);
  const Output inverse =
      Multiply(inside, Cast(inside, counts, svd.s.dtype()),
               Reciprocal(inside, WhereV2(inside, counts, svd.s, OnesLike(inside, svd.s))));
  const Output scaled =
      Multiply(inside, svd.v, Cast(inside, ExpandDims(inside, inverse, -2), x.dtype()));
  return scope(MatMul(inside, scaled, MatrixTranspose(inside, svd.u, /*conjugate=*/true)));
}

Normalized Normalize(ScopeRef scope_ref, const Output& x, const NormOptions& options) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("normalize");
  NormOptions kept = options;
  const Output norm = Norm(inside, x, kept.keep_dims(true));
  if (!scope.ok()) return {};
  return {scope(Divide(inside, x, Cast(inside, norm, x.dtype()))), scope(norm)};
}

LuParts Lu(ScopeRef scope, const Input& x, DType index_type) {
  const auto out =
      BuildOutputs(scope.scope(), "Lu", {x}, OpAttrs().Set("output_idx_type", index_type), 2);
  return {out[0], out[1]};
}

Output LuReconstruct(ScopeRef scope_ref, const Output& lower_upper, const Output& perm) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("lu_reconstruct");
  if (FailMatrix(scope, "LuReconstruct", lower_upper)) return Output();
  const Output product =
      MatMul(inside, Lower(inside, lower_upper), MatrixBandPart(inside, lower_upper, 0, -1));
  return scope(Permuted(inside, product, Argsort(inside, perm)));
}

Output LuSolve(ScopeRef scope_ref, const Output& lower_upper, const Output& perm,
               const Output& rhs) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("lu_solve");
  if (FailMatrix(scope, "LuSolve", lower_upper)) return Output();
  const Output half =
      MatrixTriangularSolve(inside, Lower(inside, lower_upper), Permuted(inside, rhs, perm));
  return scope(MatrixTriangularSolve(inside, lower_upper, half, /*lower=*/false));
}

Output LuMatrixInverse(ScopeRef scope_ref, const Output& lower_upper, const Output& perm) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("lu_matrix_inverse");
  if (FailMatrix(scope, "LuMatrixInverse", lower_upper)) return Output();
  const Output ones = OnesLike(inside, MatrixDiagPart(inside, lower_upper));
  return scope(LuSolve(inside, lower_upper, perm, MatrixDiag(inside, ones)));
}

Output TridiagonalMatmul(ScopeRef scope_ref, const Output& diagonals, const Output& rhs) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("tridiagonal_matmul");
  if (FailMatrix(scope, "TridiagonalMatmul", diagonals)) return Output();
  const std::vector<Output> rows = Unstack(inside, diagonals, 3, -2);
  if (!scope.ok()) return Output();
  std::vector<ArgumentInput> arguments;
  for (const Output& row : rows) arguments.emplace_back(ExpandDims(inside, row, -2));
  arguments.emplace_back(rhs);
  return scope(BuildOutput(inside, "TridiagonalMatMul", arguments));
}

Output TridiagonalSolve(ScopeRef scope_ref, const Output& diagonals, const Output& rhs,
                        bool partial_pivoting) {
  const Scope scope = scope_ref.scope();
  const Scope inside = scope.OpenScope("tridiagonal_solve");
  if (FailMatrix(scope, "TridiagonalSolve", diagonals) ||
      FailMatrix(scope, "TridiagonalSolve", rhs))
    return Output();
  return scope(BuildOutput(inside, "TridiagonalSolve", {diagonals, rhs},
                           OpAttrs().Set("partial_pivoting", partial_pivoting)));
}

}  // namespace linalg
}  // namespace frontend
}  // namespace warpbeam
