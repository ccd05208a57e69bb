// CholeskyGrad and BatchCholeskyGrad: what flows into a matrix, given its factor L and what flows
// into L: (L^-T (P + P^T) L^-1) / 2, with P the lower triangle of L^T dL, its diagonal halved.
#include "graph/op/op_registry.h"
#include "ops/launch/dispatch.h"
#include "ops/linalg/matrix_batch.h"
#include "ops/linalg/wide_matrix.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

RowMatrix<double> Backward(RowMatrix<double> l, RowMatrix<double> dl) {
  for (int64_t i = 0; i < l.rows(); ++i) {
    l.row(i).tail(l.cols() - i - 1).setZero();
    dl.row(i).tail(l.cols() - i - 1).setZero();
  }
  const RowMatrix<double> upper = l.transpose();
  RowMatrix<double> p = upper * dl;
  for (int64_t i = 0; i < p.rows(); ++i) {
    for (int64_t j = i + 1; j < p.cols(); ++j) p(i, j) = p(j, i);
  }
  // L^-T from the left, then, the result being symmetric, the same on its transpose.
  upper.triangularView<Eigen::Upper>().solveInPlace(p);
  RowMatrix<double> transposed = p.transpose();
  upper.triangularView<Eigen::Upper>().solveInPlace(transposed);
  return 0.5 * transposed;
}

class CholeskyGradKernel final : public Kernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CholeskyGradKernel>();
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor &l = ctx.input(0), &dl = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(l, "l"));
    if (l.shape() != dl.shape()) {
      return InvalidArgument("'l' and 'grad' must be of one shape, not ", l.shape().ToString(),
                             " and ", dl.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(Tensor * out, ctx.Allocate(0, l.shape()));
    if (batch.empty()) return OkStatus();
    const double n = static_cast<double>(batch.rows);
    return DispatchTypes<float, double>(l.dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      return ForEachMatrix(ctx, batch.count, 4 * n * n * n, [&](int64_t i) {
        const int64_t at = i * batch.size();
        StoreWide(Backward(LoadWide(l.data<T>() + at, batch.rows, batch.cols),
                           LoadWide(dl.data<T>() + at, batch.rows, batch.cols)),
                  out->data<T>() + at);
        return OkStatus();
      });
    });
  }
};

WB_OP("CholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {half, float, double}")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("CholeskyGrad", CholeskyGradKernel).Cpu({{"T", kRealFieldTypes}});
WB_OP("BatchCholeskyGrad")
    .Input("l: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("T: {float, double}")
    .Deprecated(13, "Use CholeskyGrad instead.")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("BatchCholeskyGrad", CholeskyGradKernel).Cpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
