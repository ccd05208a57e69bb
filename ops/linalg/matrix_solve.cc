// MatrixSolve and BatchMatrixSolve: X such that A X = B, or with `adjoint` A^H X = B.
#include <algorithm>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/eigen_matrix.h"
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status MatrixSolveShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape matrix, SquareInput(c, 0));
  WB_ASSIGN_OR_RETURN(const PartialShape rhs, MatrixInput(c, 1));
  if (!matrix.has_rank() || !rhs.has_rank()) {
    c.set_output(0, rhs);
    return OkStatus();
  }
  // The matrix but for its columns, then those of the right-hand side.
  std::vector<int64_t> dims = matrix.dims();
  dims.back() = rhs.dims().back();
  WB_ASSIGN_OR_RETURN(PartialShape out, PartialShape::Merge(PartialShape(std::move(dims)), rhs));
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <class T>
Status Solve(const MatrixBatch& batch, int64_t columns, bool adjoint, const T* matrix, const T* rhs,
             T* x) {
  RowMatrix<T> a = ConstMatrixView<T>(matrix, batch.rows, batch.cols);
  if (adjoint) a = a.adjoint().eval();
  std::vector<int32_t> permutation(batch.rows);
  FactorLu(batch.rows, a.data(), permutation.data());
  if (!IsInvertible(batch.rows, a.data())) return NotInvertible();
  SolveLu(batch.rows, columns, a.data(), permutation.data(), rhs, x);
  return OkStatus();
}

class MatrixSolveKernel final : public Kernel {
 public:
  explicit MatrixSolveKernel(bool adjoint) : adjoint_(adjoint) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixSolveKernel>(adjoint);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(matrix, "matrix"));
    WB_RETURN_IF_ERROR(CheckSystem(matrix, rhs));
    const int64_t columns = rhs.dim(rhs.rank() - 1), size = batch.rows * columns;
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, rhs.shape()));
    if (rhs.num_elements() == 0) return OkStatus();
    const double n = static_cast<double>(batch.rows);
    return DispatchTypes(FieldTypes{}, rhs.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, n * n * (n + 2.0 * columns), [&](int64_t i) {
        return Solve(batch, columns, adjoint_, matrix.data<T>() + i * batch.size(),
                     rhs.data<T>() + i * size, x->data<T>() + i * size);
      });
    });
  }

 private:
  const bool adjoint_;
};

// dB = A^-H dX, dA = -dB X^H; with `adjoint` dB = A^-1 dX, dA = -X dB^H.
Status MatrixSolveGradient(GradContext& c) {
  const bool adjoint = c.attr_or<bool>("adjoint", false);
  const OutputRef db = c.Emit("MatrixSolve", {c.x(0), c.dy(0)}, {{"adjoint", !adjoint}});
  const OutputRef left = adjoint ? c.y(0) : db, right = adjoint ? db : c.y(0);
  c.set_dx(0, c.Neg(c.Emit("BatchMatMulV2", {left, right}, {{"adj_y", true}})));
  c.set_dx(1, db);
  return OkStatus();
}

WB_OP("MatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(MatrixSolveShape);
WB_KERNEL("MatrixSolve", MatrixSolveKernel).Cpu({{"T", kFieldTypes}}).Gpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixSolve", MatrixSolveGradient);

WB_OP("BatchMatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float}")
    .Deprecated(13, "Use MatrixSolve instead.")
    .Shape(MatrixSolveShape);
WB_KERNEL("BatchMatrixSolve", MatrixSolveKernel).Cpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
