// Matrices give TensorFlow's numbers and gradients.
#include <limits>

#include "frontend/values/expected_values.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace frontend {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<ValueRow> FormRows() {
  return {
      {"adjoint", [](S s, X x) { return linalg::Adjoint(s, x[0]); }},
      {"matrix_transpose", [](S s, X x) { return MatrixTranspose(s, x[0]); }},
      {"band_part", [](S s, X x) { return linalg::BandPart(s, x[0], 1, 0); }},
      {"cross", [](S s, X x) { return Cross(s, x[0], x[1]); }},
      {"diag", [](S s, X x) { return Diag(s, x[0]); }},
      {"diag_part", [](S s, X x) { return DiagPart(s, x[0]); }},
      {"matrix_diag", [](S s, X x) { return MatrixDiag(s, x[0]); }},
      {"matrix_diag_k", [](S s, X x) { return linalg::Diag(s, x[0], 1); }},
      {"matrix_diag_part", [](S s, X x) { return MatrixDiagPart(s, x[0]); }},
      {"matrix_set_diag", [](S s, X x) { return MatrixSetDiag(s, x[0], x[1]); }},
      {"eye", [](S s, X x) { return Eye(s, 2, 3); }},
      {"eye_batch", [](S s, X x) { return Eye(s, 2, std::nullopt, {3}, DType::kDouble); }},
      {"einsum",
       [](S s, X x) {
         return Einsum(s, "ij,jk->ik", {x[0], x[1]});
       }},
      {"einsum_trace", [](S s, X x) { return Einsum(s, "ii->", {x[0]}); }},
      {"einsum_three",
       [](S s, X x) {
         return Einsum(s, "ij,jk,lk", {x[0], x[1], x[2]});
       }},
      {"matmul", [](S s, X x) { return MatMul(s, x[0], x[1]); }},
      {"matmul_transposed", [](S s, X x) { return MatMul(s, x[0], x[1], true, true); }},
      {"matmul_batch", [](S s, X x) { return MatMul(s, x[0], x[1], false, false, false, true); }},
      {"matvec", [](S s, X x) { return linalg::Matvec(s, x[0], x[1]); }},
      {"tensordot", [](S s, X x) { return Tensordot(s, x[0], x[1], 1); }},
      {"tensordot_axes",
       [](S s, X x) {
         return Tensordot(s, x[0], x[1], {0, 1}, {1, 0});
       }},
      {"tensordot_outer", [](S s, X x) { return Tensordot(s, x[0], x[1], 0); }},
      {"trace", [](S s, X x) { return Trace(s, x[0]); }},
      {"tridiagonal_matmul", [](S s, X x) { return linalg::TridiagonalMatmul(s, x[0], x[1]); }},
  };
}

std::vector<ValueRow> EquationRows() {
  return {
      {"cholesky", [](S s, X x) { return Cholesky(s, x[0]); }},
      {"cholesky_solve", [](S s, X x) { return CholeskySolve(s, x[0], x[1]); }},
      {"det", [](S s, X x) { return linalg::Det(s, x[0]); }},
      {"self_adjoint_eigvals", [](S s, X x) { return SelfAdjointEigvals(s, x[0]); }},
      {"self_adjoint_eig",
       [](S s, X x) {
         const auto [e, v] = SelfAdjointEig(s, x[0]);
         return Built{e, Abs(s, v)};
       }},
      {"eigh_tridiagonal", [](S s, X x) { return linalg::EighTridiagonal(s, x[0], x[1]).e; }},
      {"eigh_tridiagonal_vectors",
       [](S s, X x) {
         const auto with = linalg::EighTridiagonalOptions().eigvals_only(false);
         const auto [e, v] = linalg::EighTridiagonal(s, x[0], x[1], with);
         return Built{e, Abs(s, v)};
       }},
      {"eigh_tridiagonal_indices",
       [](S s, X x) {
         const auto middle = linalg::EighTridiagonalOptions().select_indices(1, 2);
         return linalg::EighTridiagonal(s, x[0], x[1], middle).e;
       }},
      {"eigh_tridiagonal_complex",
       [](S s, X x) { return linalg::EighTridiagonal(s, x[0], x[1]).e; }},
      {"expm", [](S s, X x) { return linalg::Expm(s, x[0]); }},
      {"expm_large", [](S s, X x) { return linalg::Expm(s, x[0]); }, 1e-4},
      {"inv", [](S s, X x) { return linalg::Inv(s, x[0]); }},
      {"logdet", [](S s, X x) { return linalg::Logdet(s, x[0]); }},
      {"logm", [](S s, X x) { return linalg::Logm(s, x[0]); }},
      {"lstsq", [](S s, X x) { return linalg::Lstsq(s, x[0], x[1]); }, 1e-3},
      {"lstsq_slow", [](S s, X x) { return MatrixSolveLs(s, x[0], x[1], 0, false); }},
      {"lstsq_regularized", [](S s, X x) { return MatrixSolveLs(s, x[0], x[1], 0.5); }, 1e-4},
      {"lu",
       [](S s, X x) {
         const auto [lu, p] = linalg::Lu(s, x[0]);
         return Built{lu, p};
       }},
      {"lu_reconstruct",
       [](S s, X x) {
         const auto [lu, p] = linalg::Lu(s, x[0]);
         return linalg::LuReconstruct(s, lu, p);
       }},
      {"lu_solve",
       [](S s, X x) {
         const auto [lu, p] = linalg::Lu(s, x[0]);
         return linalg::LuSolve(s, lu, p, x[1]);
       }},
      {"lu_matrix_inverse",
       [](S s, X x) {
         const auto [lu, p] = linalg::Lu(s, x[0]);
         return linalg::LuMatrixInverse(s, lu, p);
       }},
      {"matrix_rank", [](S s, X x) { return linalg::MatrixRank(s, x[0]); }},
      {"pinv", [](S s, X x) { return linalg::Pinv(s, x[0]); }},
      {"qr",
       [](S s, X x) {
         const auto [q, r] = Qr(s, x[0]);
         return Built{q, r};
       }},
      {"slogdet",
       [](S s, X x) {
         const auto [sign, log_abs_determinant] = linalg::Slogdet(s, x[0]);
         return Built{sign, log_abs_determinant};
       }},
      {"matrix_solve", [](S s, X x) { return linalg::Solve(s, x[0], x[1]); }},
      {"sqrtm", [](S s, X x) { return linalg::Sqrtm(s, x[0]); }},
      {"svd_values", [](S s, X x) { return Svd(s, x[0], false, false).s; }},
      {"triangular_solve", [](S s, X x) { return linalg::TriangularSolve(s, x[0], x[1]); }},
      {"tridiagonal_solve", [](S s, X x) { return linalg::TridiagonalSolve(s, x[0], x[1]); }},
  };
}

std::vector<ValueRow> NormRows() {
  return {
      {"norm", [](S s, X x) { return Norm(s, x[0]); }},
      {"norm_1", [](S s, X x) { return Norm(s, x[0], NormOptions().ord(1).axis({1})); }},
      {"norm_inf",
       [](S s, X x) {
         return Norm(s, x[0], NormOptions().ord(kInfinity).axis({0}).keep_dims(true));
       }},
      {"norm_3", [](S s, X x) { return Norm(s, x[0], NormOptions().ord(3).axis({1})); }},
      {"norm_fro",
       [](S s, X x) {
         return Norm(s, x[0], NormOptions().axis({0, 1}));
       }},
      {"norm_matrix_1",
       [](S s, X x) {
         return Norm(s, x[0], NormOptions().ord(1).axis({0, 1}));
       }},
      {"norm_matrix_inf",
       [](S s, X x) {
         return Norm(s, x[0], NormOptions().ord(kInfinity).axis({0, 1}));
       }},
      {"norm_matrix_2",
       [](S s, X x) {
         return Norm(s, x[0], NormOptions().ord(2).axis({-2, -1}));
       }},
      {"normalize",
       [](S s, X x) {
         const auto [value, norm] = linalg::Normalize(s, x[0], NormOptions().axis({1}));
         return Built{value, norm};
       }},
      {"l2_normalize", [](S s, X x) { return nn::L2Normalize(s, x[0], 1); }},
      {"global_norm",
       [](S s, X x) {
         return GlobalNorm(s, {x[0], x[1]});
       }},
  };
}

TEST(LinalgValuesTest, AreTensorFlows) {
  std::vector<ValueRow> rows = FormRows();
  for (const auto& more : {EquationRows(), NormRows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  ExpectTensorFlowsValues("linalg", rows);
}

TEST(LinalgValuesTest, BadArgumentsAreErrorsOfTheScope) {
  const auto unknown = [](S s) { return Placeholder(s, DType::kFloat); };
  for (const auto& build : std::vector<std::function<void(S)>>{
           [](S s) { Eye(s, -1); },
           [&](S s) { MatrixTranspose(s, unknown(s)); },
           [](S s) { MatrixTranspose(s, Zeros(s, {2})); },
           [](S s) { Tensordot(s, Zeros(s, {2}), Zeros(s, {2}), 2); },
           [](S s) { Tensordot(s, Zeros(s, {2}), Zeros(s, {2}), -1); },
           [](S s) {
             Tensordot(s, Zeros(s, {2, 2}), Zeros(s, {2, 2}), {0, 0}, {0, 1});
           },
           [](S s) {
             Tensordot(s, Zeros(s, {2, 2}), Zeros(s, {2, 2}), {5}, {0});
           },
           [](S s) {
             Einsum(s, "ij,jk->ik", {Zeros(s, {2, 2})});
           },
           [](S s) { Einsum(s, "", {}); },
           [](S s) { Norm(s, Zeros(s, {2}), NormOptions().ord(-1)); },
           [](S s) { Norm(s, Zeros(s, {2}), NormOptions().axis({1})); },
           [](S s) {
             Norm(s, Zeros(s, {2, 2}), NormOptions().ord(3).axis({0, 1}));
           },
           [](S s) {
             MatMul(s, Zeros(s, {2, 2}), Zeros(s, {2, 2}), true, false, true);
           },
           [&](S s) { MatrixSolveLs(s, unknown(s), unknown(s)); },
           [&](S s) { linalg::Pinv(s, unknown(s)); },
           [&](S s) { linalg::LuSolve(s, unknown(s), unknown(s), unknown(s)); },
           [](S s) {
             linalg::TridiagonalMatmul(s, Zeros(s, {3}), Zeros(s, {3, 1}));
           },
       }) {
    const Scope root = Scope::NewRoot();
    build(root);
    EXPECT_EQ(root.status().code(), StatusCode::kInvalidArgument) << root.status();
  }
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
