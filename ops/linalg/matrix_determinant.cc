// MatrixDeterminant and BatchMatrixDeterminant.
#include <algorithm>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/determinant.h"
#include "ops/linalg/eigen_matrix.h"
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status MatrixDeterminantShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, SquareInput(c, 0));
  c.set_output(0, BatchShape(in, {}));
  return OkStatus();
}

class MatrixDeterminantKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<MatrixDeterminantKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(const Shape shape, BatchShape(x, {}));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, shape));
    const double n = static_cast<double>(batch.rows);
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, n * n * n, [&](int64_t i) {
        const T* matrix = x.data<T>() + i * batch.size();
        std::vector<T> lu(matrix, matrix + batch.size());
        std::vector<int32_t> permutation(batch.rows);
        const int sign = FactorLu(batch.rows, lu.data(), permutation.data());
        y->data<T>()[i] = host_pass::Determinant(batch.rows, lu.data(), sign);
        return OkStatus();
      });
    });
  }
};

// dX = dy conj(y) X^-H.
Status MatrixDeterminantGradient(GradContext& c) {
  const OutputRef inverse = c.Emit("MatrixInverse", {c.x(0)}, {{"adjoint", true}});
  OutputRef factor = c.Mul(c.dy(0), c.Conj(c.y(0)));
  for (int i = 0; i < 2; ++i) factor = c.Emit("ExpandDims", {factor, c.Scalar<int32_t>(-1)});
  c.set_dx(0, c.Mul(factor, inverse));
  return OkStatus();
}

WB_OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .Shape(MatrixDeterminantShape);
WB_KERNEL("MatrixDeterminant", MatrixDeterminantKernel)
    .Cpu({{"T", kFieldTypes}})
    .Gpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixDeterminant", MatrixDeterminantGradient);

WB_OP("BatchMatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {float, double, complex64, complex128}")
    .Deprecated(13, "Use MatrixDeterminant instead.")
    .Shape(MatrixDeterminantShape);
WB_KERNEL("BatchMatrixDeterminant", MatrixDeterminantKernel).Cpu({{"T", kFieldTypes}});

}  // namespace
}  // namespace warpbeam
