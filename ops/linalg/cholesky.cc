// Cholesky and BatchCholesky: L, lower triangular, such that L L^H is the matrix, of which only the
// lower triangle is read. A matrix that is not positive definite gives NaN, as in TensorFlow.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/linalg/square_function.h"
#include "runtime/kernel/kernel_registry.h"
// After the settings in eigen_matrix.h.
#include <Eigen/Cholesky>

namespace warpbeam {
namespace {

struct CholeskyFactor {
  static constexpr double kFlops = 0.4;
  template <class T>
  static void Apply(RowMatrix<T>* a) {
    const Eigen::LLT<Eigen::Ref<RowMatrix<T>>> factor(*a);  // in place
    if (factor.info() != Eigen::Success) FillWithNan(a);
    for (int64_t i = 0; i < a->rows(); ++i) a->row(i).tail(a->cols() - i - 1).setZero();
  }
};

// With P the lower triangle of L^H dL, its diagonal halved: (L^-H (P + P^H) L^-1) / 2.
Status CholeskyGradient(GradContext& c) {
  const OutputRef l = c.y(0);
  const OutputRef diagonal = c.Emit("MatrixDiagPart", {l});
  const OutputRef identity = c.Emit("MatrixDiag", {c.Emit("OnesLike", {diagonal})});
  const OutputRef inverse = c.Emit("MatrixTriangularSolve", {l, identity});
  const OutputRef product = c.Emit("BatchMatMulV2", {l, c.dy(0)}, {{"adj_x", true}});
  const OutputRef half_diagonal =
      c.Mul(c.Emit("MatrixDiagPart", {product}), c.ScalarLike(product, 0.5));
  const OutputRef lower =
      c.Emit("MatrixBandPart", {c.Emit("MatrixSetDiag", {product, half_diagonal}),
                                c.Scalar<int64_t>(-1), c.Scalar<int64_t>(0)});
  const OutputRef sum =
      c.Add(c.Emit("BatchMatMulV2", {inverse, lower}, {{"adj_x", true}}),
            c.Emit("BatchMatMulV2", {inverse, lower}, {{"adj_x", true}, {"adj_y", true}}));
  c.set_dx(0, c.Mul(c.Emit("BatchMatMulV2", {sum, inverse}), c.ScalarLike(l, 0.5)));
  return OkStatus();
}

WB_OP("Cholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("Cholesky", SquareFunctionKernel<CholeskyFactor>)
    .Cpu({{"T", kFieldTypes}})
    .Gpu({{"T", kFieldTypes}});
WB_GRADIENT("Cholesky", CholeskyGradient);

WB_OP("BatchCholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float}")
    .Deprecated(13, "Use Cholesky instead.")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("BatchCholesky", SquareFunctionKernel<CholeskyFactor>).Cpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
