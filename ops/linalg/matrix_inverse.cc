// MatrixInverse and BatchMatrixInverse: inverses, or with `adjoint` those of the adjoints.
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

template <class Stored>
Status Invert(int64_t n, bool adjoint, const Stored* from, Stored* to) {
  using T = ComputedType<Stored>;
  RowMatrix<T> a = LoadMatrix(from, n, n);
  if (adjoint) a = a.adjoint().eval();
  std::vector<int32_t> permutation(n);
  FactorLu(n, a.data(), permutation.data());
  if (!IsInvertible(n, a.data())) return HasNoInverse();
  const RowMatrix<T> identity = RowMatrix<T>::Identity(n, n);
  RowMatrix<T> inverse(n, n);
  SolveLu(n, n, a.data(), permutation.data(), identity.data(), inverse.data());
  StoreMatrix(inverse, to);
  return OkStatus();
}

class MatrixInverseKernel final : public Kernel {
 public:
  explicit MatrixInverseKernel(bool adjoint) : adjoint_(adjoint) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixInverseKernel>(adjoint);
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (batch.empty()) return OkStatus();
    return DispatchTypes<Half, float, double, std::complex<float>, std::complex<double>>(
        x.dtype(), [&](auto tag) -> Status {
          using T = typename decltype(tag)::type;
          const double n = static_cast<double>(batch.rows);
          return ForEachMatrix(ctx, batch.count, 3 * n * n * n, [&](int64_t i) {
            const int64_t at = i * batch.size();
            return Invert(batch.rows, adjoint_, x.data<T>() + at, y->data<T>() + at);
          });
        });
  }

 private:
  const bool adjoint_;
};

// dX = -Y^H dY Y^H, and with `adjoint` -Y dY^H Y.
Status MatrixInverseGradient(GradContext& c) {
  const bool adjoint = c.attr_or<bool>("adjoint", false);
  const OutputRef right =
      c.Emit("BatchMatMulV2", {c.dy(0), c.y(0)}, {{"adj_x", adjoint}, {"adj_y", !adjoint}});
  c.set_dx(0, c.Neg(c.Emit("BatchMatMulV2", {c.y(0), right}, {{"adj_x", !adjoint}})));
  return OkStatus();
}

WB_OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("MatrixInverse", MatrixInverseKernel)
    .Cpu({{"T", kFieldTypes | TypeSet{DType::kHalf}}})
    .Gpu({{"T", kFieldTypes}});
WB_GRADIENT("MatrixInverse", MatrixInverseGradient);

WB_OP("BatchMatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float}")
    .Deprecated(13, "Use MatrixInverse instead.")
    .Shape(shapes::SquareUnchanged);
WB_KERNEL("BatchMatrixInverse", MatrixInverseKernel).Cpu({{"T", kRealFieldTypes}});

}  // namespace
}  // namespace warpbeam
