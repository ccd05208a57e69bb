// MatrixExponential: the sum of x^k / k!. Matrices with NaN or infinity give NaN.
#include <numeric>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/linalg/square_function.h"
#include "runtime/kernel/kernel_registry.h"
// After the settings in eigen_matrix.h.
#include <unsupported/Eigen/MatrixFunctions>

namespace warpbeam {
namespace {

struct Exponential {
  static constexpr double kFlops = 30;
  template <class T>
  static void Apply(RowMatrix<T>* a) {
    if (!a->allFinite()) return FillWithNan(a);
    const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> columns = *a;
    *a = columns.exp().eval();
  }
};

// The order of dimensions that turns matrices round.
OutputRef Transposed(GradContext& c, OutputRef x) {
  const PartialShape& shape = c.shape(x);
  if (!shape.has_rank()) {
    const OutputRef rank = c.RankOf(x);
    const OutputRef batch = c.Emit(
        "Range", {c.Scalar<int32_t>(0), c.Sub(rank, c.Scalar<int32_t>(2)), c.Scalar<int32_t>(1)});
    const OutputRef last = c.Add(c.Ints({-1, -2}), rank);
    return c.Emit("ConcatV2", {{batch, last}, c.Scalar<int32_t>(0)});
  }
  std::vector<int32_t> order(static_cast<size_t>(shape.rank()));
  std::iota(order.begin(), order.end(), 0);
  if (order.size() >= 2) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return c.Constant(Tensor::Vector<int32_t>(order));
}

// dX is what the exponential of [[X^H, dY], [0, X^H]] has in the place of dY: C. Van Loan,
// "Computing integrals involving the matrix exponential", 1978.
Status MatrixExponentialGradient(GradContext& c) {
  const OutputRef x = c.Emit("ConjugateTranspose", {c.x(0), Transposed(c, c.x(0))});
  const OutputRef last = c.Scalar<int32_t>(-1), before = c.Scalar<int32_t>(-2);
  const OutputRef top = c.Emit("ConcatV2", {{x, c.dy(0)}, last});
  const OutputRef bottom = c.Emit("ConcatV2", {{c.ZerosLike(x), x}, last});
  const OutputRef whole =
      c.Emit("MatrixExponential", {c.Emit("ConcatV2", {{top, bottom}, before})});
  AttrMap halves;
  halves.Set("num_split", int64_t{2});
  const std::vector<OutputRef> rows = c.EmitAll("Split", {before, whole}, halves);
  if (rows.empty()) return c.status();
  const std::vector<OutputRef> columns = c.EmitAll("Split", {last, rows[0]}, halves);
  if (columns.size() == 2) c.set_dx(0, columns[1]);
  return c.status();
}

WB_OP("MatrixExponential")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Deprecated(27, "Use Python implementation tf.linalg.matrix_exponential instead.")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("MatrixExponential", SquareFunctionKernel<Exponential>).Cpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixExponential", MatrixExponentialGradient);

}  // namespace
}  // namespace warpbeam
