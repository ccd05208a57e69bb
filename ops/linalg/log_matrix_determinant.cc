// LogMatrixDeterminant: a determinant's sign and the logarithm of its absolute value.
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

Status LogMatrixDeterminantShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(const PartialShape in, SquareInput(c, 0));
  c.set_output(0, BatchShape(in, {}));
  c.set_output(1, BatchShape(in, {}));
  return OkStatus();
}

class LogMatrixDeterminantKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<LogMatrixDeterminantKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(const Shape shape, BatchShape(x, {}));
    WB_ASSIGN_OR_RETURN(Tensor * signs, ctx.Allocate(0, shape));
    WB_ASSIGN_OR_RETURN(Tensor * logs, ctx.Allocate(1, shape));
    const double n = static_cast<double>(batch.rows);
    return DispatchTypes(FieldTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, n * n * n, [&](int64_t i) {
        const T* matrix = x.data<T>() + i * batch.size();
        std::vector<T> lu(matrix, matrix + batch.size());
        std::vector<int32_t> permutation(batch.rows);
        const int sign = FactorLu(batch.rows, lu.data(), permutation.data());
        const host_pass::SignedLog<T> result =
            host_pass::LogDeterminant(batch.rows, lu.data(), sign);
        signs->data<T>()[i] = result.sign;
        logs->data<T>()[i] = T(result.log);
        return OkStatus();
      });
    });
  }
};

// The sign is constant wherever it has a derivative: dX = dlog X^-H.
Status LogMatrixDeterminantGradient(GradContext& c) {
  const OutputRef inverse = c.Emit("MatrixInverse", {c.x(0)}, {{"adjoint", true}});
  OutputRef factor = c.dy(1);
  for (int i = 0; i < 2; ++i) factor = c.Emit("ExpandDims", {factor, c.Scalar<int32_t>(-1)});
  c.set_dx(0, c.Mul(factor, inverse));
  return OkStatus();
}

WB_OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .Shape(LogMatrixDeterminantShape);
WB_KERNEL("LogMatrixDeterminant", LogMatrixDeterminantKernel)
    .Cpu({{"T", kFieldTypes}})
    .Gpu({{"T", kFieldTypes}});
WB_GRADIENT("LogMatrixDeterminant", LogMatrixDeterminantGradient);

}  // namespace
}  // namespace warpbeam
