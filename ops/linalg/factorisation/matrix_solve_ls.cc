// MatrixSolveLs and BatchMatrixSolveLs: least squares. With `fast` through a Cholesky factor of
// A^H A + l2 I (or A A^H + l2 I for a wide A), else through a complete orthogonal decomposition,
// which bears matrices of any rank and knows no l2.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel_registry.h"
// After the settings in eigen_matrix.h.
#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace warpbeam {
namespace {

Status MatrixSolveLsShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape matrix, MatrixInput(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape rhs, MatrixInput(c, 1));
  WB_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  if (!matrix.has_rank() || !rhs.has_rank()) return OkStatus();
  std::vector<int64_t> rows(matrix.dims().begin(), matrix.dims().end() - 1);
  rows.push_back(rhs.dims().back());
  WB_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Merge(PartialShape(std::move(rows)), rhs));
  out.set_dim(out.rank() - 2, matrix.dims().back());
  c.set_output(0, std::move(out));
  return OkStatus();
}

// The solution in place of `b`.
template <class T>
Status SolveFast(const RowMatrix<T>& a, double l2, RowMatrix<T>* b) {
  const bool is_tall = a.rows() >= a.cols();
  RowMatrix<T> gram;
  if (is_tall) {
    gram = a.adjoint() * a;
    *b = (a.adjoint() * *b).eval();
  } else {
    gram = a * a.adjoint();
  }
  gram.diagonal().array() += T(l2);
  const Eigen::LLT<Eigen::Ref<RowMatrix<T>>> factor(gram);
  if (factor.info() != Eigen::Success) {
    return InvalidArgument("the matrix is not of full rank: set fast=false, or l2_regularizer > 0");
  }
  factor.solveInPlace(*b);
  if (!is_tall) *b = (a.adjoint() * *b).eval();
  return OkStatus();
}

class MatrixSolveLsKernel final : public Kernel {
 public:
  explicit MatrixSolveLsKernel(bool fast) : fast_(fast) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool fast, init.attr<bool>("fast"));
    return std::make_unique<MatrixSolveLsKernel>(fast);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const MatrixBatch a, MatricesOf(matrix, "matrix"));
    WB_RETURN_IF_ERROR(CheckSystem(matrix, rhs));
    if (ctx.input(2).rank() != 0) {
      return InvalidArgument("'l2_regularizer' must be a scalar, not of shape ",
                             ctx.input(2).shape().ToString());
    }
    const double l2 = ctx.input(2).scalar<double>();
    if (!(l2 >= 0)) return InvalidArgument("'l2_regularizer' must not be negative: ", l2);
    const int64_t columns = rhs.dim(rhs.rank() - 1);
    WB_ASSIGN_OR_RETURN(const Shape shape, BatchShape(rhs, {a.cols, columns}));
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const double flops = 4.0 * a.rows * a.cols * (columns + std::min(a.rows, a.cols));
    return DispatchTypes(FieldTypes{}, rhs.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, a.count, flops, [&](int64_t i) {
        return Solve(a, columns, l2, matrix.data<T>() + i * a.size(),
                     rhs.data<T>() + i * a.rows * columns, x->data<T>() + i * a.cols * columns);
      });
    });
  }

 private:
  template <class T>
  Status Solve(const MatrixBatch& batch, int64_t columns, double l2, const T* matrix, const T* rhs,
               T* x) const {
    using Wide = WideType<T>;
    const RowMatrix<Wide> a = LoadWide(matrix, batch.rows, batch.cols);
    RowMatrix<Wide> b = LoadWide(rhs, batch.rows, columns);
    if (batch.rows == 0) {
      b.setZero(batch.cols, columns);
    } else if (fast_) {
      WB_RETURN_IF_ERROR(SolveFast(a, l2, &b));
    } else {
      // What counts as a pivot of zero depends on the type that the elements were rounded to.
      using Real = decltype(std::abs(T()));
      Eigen::CompleteOrthogonalDecomposition<RowMatrix<Wide>> factor(batch.rows, batch.cols);
      factor.setThreshold(std::numeric_limits<Real>::epsilon() *
                          static_cast<double>(std::min(batch.rows, batch.cols)));
      factor.compute(a);
      b = factor.solve(b).eval();
    }
    StoreWide<T>(b, x);
    return OkStatus();
  }

  const bool fast_;
};

// A tall A, with Z = (A^H A + l2 I)^-1 dX: dB = A Z, dA = B Z^H - A (X Z^H + Z X^H).
// A wide one, with Z = (A A^H + l2 I)^-1 A dX and X = A^H Y: dB = Z, dA = Y (dX - A^H Z)^H - Z X^H.
Status MatrixSolveLsGradient(GradContext& c) {
  const PartialShape& shape = c.shape(c.x(0));
  const int64_t rows = shape.has_rank() ? shape.dim(shape.rank() - 2) : -1;
  const int64_t cols = shape.has_rank() ? shape.dims().back() : -1;
  if (rows < 0 || cols < 0) {
    return Unimplemented(
        "the gradient of MatrixSolveLs needs to know which side of the matrix is "
        "longer: give it a shape; it is of shape ",
        shape.ToString());
  }
  const OutputRef a = c.x(0), b = c.x(1), x = c.y(0), dx = c.dy(0);
  const auto times = [&](OutputRef l, OutputRef r, bool adj_l, bool adj_r) {
    return c.Emit("BatchMatMulV2", {l, r}, {{"adj_x", adj_l}, {"adj_y", adj_r}});
  };
  const bool is_tall = rows >= cols;
  const OutputRef product = times(a, a, is_tall, !is_tall);
  const OutputRef diagonal = c.Emit("MatrixDiagPart", {product});
  const OutputRef gram =
      c.Emit("MatrixSetDiag", {product, c.Add(diagonal, c.Cast(c.x(2), c.type(product)))});
  if (is_tall) {
    const OutputRef z = c.Emit("MatrixSolve", {gram, dx});
    const OutputRef both = c.Add(times(x, z, false, true), times(z, x, false, true));
    c.set_dx(0, c.Sub(times(b, z, false, true), times(a, both, false, false)));
    c.set_dx(1, times(a, z, false, false));
  } else {
    const OutputRef z = c.Emit("MatrixSolve", {gram, times(a, dx, false, false)});
    const OutputRef y = c.Emit("MatrixSolve", {gram, b});
    const OutputRef rest = c.Sub(dx, times(a, z, true, false));
    c.set_dx(0, c.Sub(times(y, rest, false, true), times(z, x, false, true)));
    c.set_dx(1, z);
  }
  return OkStatus();
}

WB_OP("MatrixSolveLs")
    .Input("matrix: T")
    .Input("rhs: T")
    .Input("l2_regularizer: double")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Attr("fast: bool = true")
    .Shape(MatrixSolveLsShape);
WB_KERNEL("MatrixSolveLs", MatrixSolveLsKernel).Cpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixSolveLs", MatrixSolveLsGradient);

WB_OP("BatchMatrixSolveLs")
    .Input("matrix: T")
    .Input("rhs: T")
    .Input("l2_regularizer: double")
    .Output("output: T")
    .Attr("T: {double, float}")
    .Attr("fast: bool = true")
    .Deprecated(13, "Use MatrixSolveLs instead.")
    .Shape(MatrixSolveLsShape);
WB_KERNEL("BatchMatrixSolveLs", MatrixSolveLsKernel).Cpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
