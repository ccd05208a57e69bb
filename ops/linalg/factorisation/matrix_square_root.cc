// MatrixSquareRoot: the principal square root. A matrix without one (a real one with negative
// eigenvalues has none that is real) gives NaN, and so do NaN and infinity.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/linalg/square_function.h"
#include "runtime/kernel/kernel_registry.h"
// After the settings in eigen_matrix.h.
#include <unsupported/Eigen/MatrixFunctions>

namespace warpbeam {
namespace {

struct SquareRoot {
  static constexpr double kFlops = 60;
  // The root of a real matrix is real, too, unless an eigenvalue is negative. It is taken of the
  // complex matrix, as Eigen's way for real ones takes longer to compile than all the others here.
  template <class T>
  static void Apply(RowMatrix<T>* a) {
    if (!a->allFinite()) return FillWithNan(a);
    const ComplexColumns columns = a->template cast<Complex128>();
    const ComplexColumns root = columns.sqrt();
    if constexpr (std::is_same_v<T, Complex128>) {
      *a = root;
    } else {
      constexpr double kRounding = 1e-7;  // of an eigenvalue near zero, under the root
      if (!(root.imag().norm() <= kRounding * root.norm())) return FillWithNan(a);
      *a = root.real();
    }
  }
  using ComplexColumns = Eigen::Matrix<Complex128, Eigen::Dynamic, Eigen::Dynamic>;
};

// With Y = X^(1/2), dX is the solution of Y^H dX + dX Y^H = dY: a linear system in the elements of
// dX, row by row, whose matrix is the sum of Y^H (x) I and I (x) conj(Y).
Status MatrixSquareRootGradient(GradContext& c) {
  const OutputRef y = c.y(0), dy = c.dy(0), diagonal = c.Emit("MatrixDiagPart", {y});
  const OutputRef identity = c.Emit("MatrixDiag", {c.Emit("OnesLike", {diagonal})});
  const auto expanded = [&](OutputRef matrix, int32_t first, int32_t second) {
    const OutputRef once = c.Emit("ExpandDims", {matrix, c.Scalar<int32_t>(first)});
    return c.Emit("ExpandDims", {once, c.Scalar<int32_t>(second)});
  };
  // [n, 1, n, 1] times [1, n, 1, n].
  const auto kronecker = [&](OutputRef a, OutputRef b) {
    return c.Mul(expanded(a, -1, -3), expanded(b, -2, -4));
  };
  const OutputRef adjoint = c.Emit("BatchMatMulV2", {identity, y}, {{"adj_y", true}});
  const OutputRef sum = c.Add(kronecker(adjoint, identity), kronecker(identity, c.Conj(y)));
  const OutputRef last = c.Sub(c.RankOf(y), c.Scalar<int32_t>(1));
  const OutputRef n = c.Emit("GatherV2", {c.ShapeOf(y), last, c.Scalar<int32_t>(0)});
  const OutputRef size = c.Mul(n, n), batch = c.Scalar<int32_t>(-1), one = c.Scalar<int32_t>(1);
  const OutputRef system = c.Reshape(sum, c.Emit("Pack", {{batch, size, size}}));
  const OutputRef rhs = c.Reshape(dy, c.Emit("Pack", {{batch, size, one}}));
  c.set_dx(0, c.ReshapeLike(c.Emit("MatrixSolve", {system, rhs}), y));
  return OkStatus();
}

WB_OP("MatrixSquareRoot")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("MatrixSquareRoot", SquareFunctionKernel<SquareRoot>).Cpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixSquareRoot", MatrixSquareRootGradient);

}  // namespace
}  // namespace warpbeam
