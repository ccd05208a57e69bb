// TridiagonalMatMul: the product of a matrix given by its three diagonals and a dense one.
#include "ops/linalg/tridiagonal_mat_mul.h"

#include <complex>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam::host_pass {
namespace {

constexpr int kDiagonals = 3, kRhs = 3;

}  // namespace

StatusOr<MatrixBatch> CheckDiagonals(const KernelContext& ctx) {
  static constexpr const char* kNames[] = {"superdiag", "maindiag", "subdiag"};
  const Tensor& x = ctx.input(kRhs);
  WB_ASSIGN_OR_RETURN(const MatrixBatch batch, MatricesOf(x, "rhs"));
  WB_ASSIGN_OR_RETURN(const Shape diagonal, BatchShape(x, {1, batch.rows}));
  for (int i = 0; i < kDiagonals; ++i) {
    if (ctx.input(i).shape() != diagonal) {
      return InvalidArgument("'", kNames[i], "' must be of shape ", diagonal.ToString(),
                             " to go with 'rhs'; it is of shape ", ctx.input(i).shape().ToString());
    }
  }
  return batch;
}

namespace {

using DiagonalTypes = TypeList<float, double, std::complex<float>, std::complex<double>>;
constexpr TypeSet kDiagonalTypes = {DType::kFloat, DType::kDouble, DType::kComplex64,
                                    DType::kComplex128};

Status TridiagonalMatMulShape(ShapeContext& c) {
  for (int i = 0; i < kDiagonals; ++i) WB_RETURN_IF_ERROR(MatrixInput(c, i).status());
  WB_ASSIGN_OR_RETURN(PartialShape out, MatrixInput(c, kRhs));
  c.set_output(0, std::move(out));
  return OkStatus();
}

class TridiagonalMatMulKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<TridiagonalMatMulKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(kRhs);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, CheckDiagonals(ctx));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (batch.empty()) return OkStatus();
    return DispatchTypes(DiagonalTypes{}, x.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, 5.0 * batch.size(), [&](int64_t i) {
        const int64_t at = i * batch.rows;
        const TridiagonalProduct<T> product = {batch.rows,
                                               batch.cols,
                                               ctx.input(0).data<T>() + at,
                                               ctx.input(1).data<T>() + at,
                                               ctx.input(2).data<T>() + at,
                                               x.data<T>() + i * batch.size()};
        T* out = y->data<T>() + i * batch.size();
        for (int64_t row = 0; row < batch.rows; ++row) {
          for (int64_t column = 0; column < batch.cols; ++column) *out++ = product.At(row, column);
        }
        return OkStatus();
      });
    });
  }
};

OutputRef Rolled(GradContext& c, OutputRef diagonal, int32_t by) {
  return c.Emit("Roll", {diagonal, c.Scalar<int32_t>(by), c.Scalar<int32_t>(-1)});
}

// dX = A^H dY; every diagonal gets the sums of dY times X, moved by a row where it is not the main.
Status TridiagonalMatMulGradient(GradContext& c) {
  const OutputRef above = c.x(0), on = c.x(1), below = c.x(2), dy = c.dy(0);
  c.set_dx(kRhs, c.Emit("TridiagonalMatMul", {Rolled(c, c.Conj(below), -1), c.Conj(on),
                                              Rolled(c, c.Conj(above), 1), dy}));
  const OutputRef x = c.Conj(c.x(kRhs)), one = c.Emit("OnesLike", {on}), zero = c.ZerosLike(on);
  const OutputRef moved[] = {c.Emit("TridiagonalMatMul", {one, zero, zero, x}), x,
                             c.Emit("TridiagonalMatMul", {zero, zero, one, x})};
  for (int i = 0; i < kDiagonals; ++i) {
    const OutputRef sums = c.Emit("Sum", {c.Mul(moved[i], dy), c.Ints({-1})});
    c.set_dx(i, c.Emit("ExpandDims", {sums, c.Scalar<int32_t>(-2)}));
  }
  return OkStatus();
}

WB_OP("TridiagonalMatMul")
    .Input("superdiag: T")
    .Input("maindiag: T")
    .Input("subdiag: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("T: {double, float, complex64, complex128}")
    .Shape(TridiagonalMatMulShape);
WB_KERNEL("TridiagonalMatMul", TridiagonalMatMulKernel)
    .Cpu({{"T", kDiagonalTypes}})
    .Gpu({{"T", kDiagonalTypes}});
WB_GRADIENT("TridiagonalMatMul", TridiagonalMatMulGradient);

}  // namespace
}  // namespace warpbeam::host_pass
