// Cholesky on a GPU. What is L row by row is U, which the library has column by column: both are of
// the same bytes.
#include <memory>

#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/gpu_solver.h"
#include "ops/linalg/matrix_batch.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CholeskyOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<CholeskyOnGpu>();
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return HasMatrixCopies() && HasGpuSolver(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  bool is_replayable() const override { return false; }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    const Tensor& x = ctx.input(0);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(x, "input"));
    WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(0, x.shape()));
    if (batch.empty()) return OkStatus();
    WB_ASSIGN_OR_RETURN(Tensor info, ctx.AllocateTemp(DType::kInt32, Shape({batch.count})));
    MatrixCopy copy;
    copy.from = x.raw_data();
    copy.to = y->raw_data();
    copy.count = batch.count;
    copy.rows = copy.columns = batch.rows;
    copy.lower = true;
    WB_RETURN_IF_ERROR(EnqueueCopy(stream, x.dtype(), copy));
    GpuFactorisation cholesky;
    cholesky.kind = GpuFactorisation::Kind::kCholesky;
    cholesky.dtype = x.dtype();
    cholesky.count = batch.count;
    cholesky.m = cholesky.n = batch.rows;
    cholesky.a = y->raw_data();
    cholesky.info = info.data<int32_t>();
    WB_RETURN_IF_ERROR(EnqueueFactorisation(ctx, stream, cholesky));
    copy.from = y->raw_data();
    copy.failed = info.data<int32_t>();
    return EnqueueCopy(stream, x.dtype(), copy);
  }
};

WB_GPU_KERNEL("Cholesky", CholeskyOnGpu);

}  // namespace
}  // namespace warpbeam
