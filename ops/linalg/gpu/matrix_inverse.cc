// MatrixInverse on a GPU. The inverse row by row is the transposed one's column by column: what
// solves the transposed system of the identity, in its place.
#include <memory>

#include "ops/linalg/gpu/gpu_lu.h"
#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class MatrixInverseOnGpu final : public ReadBackKernel {
 public:
  explicit MatrixInverseOnGpu(bool adjoint) : adjoint_(adjoint) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixInverseOnGpu>(adjoint);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return GpuLu::HasCode(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (batch.empty()) return OkStatus();
    WB_ASSIGN_OR_RETURN(const GpuLu lu, GpuLu::Enqueue(ctx, stream, x, batch, adjoint_));
    WB_RETURN_IF_ERROR(lu.CheckInvertible(ctx, stream, HasNoInverse()));
    WB_RETURN_IF_ERROR(EnqueueIdentity(stream, x.dtype(), batch, y->raw_data()));
    return lu.EnqueueSolve(ctx, stream, batch.rows, /*transpose=*/true, y->raw_data());
  }

 private:
  const bool adjoint_;
};

WB_GPU_KERNEL("MatrixInverse", MatrixInverseOnGpu);

}  // namespace
}  // namespace warpbeam
