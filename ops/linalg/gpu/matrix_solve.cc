// MatrixSolve on a GPU.
#include <memory>

#include "ops/linalg/gpu/gpu_lu.h"
#include "ops/linalg/gpu_matrix_copy.h"
#include "ops/linalg/refusals.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class MatrixSolveOnGpu final : public ReadBackKernel {
 public:
  explicit MatrixSolveOnGpu(bool adjoint) : adjoint_(adjoint) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const bool adjoint, init.attr<bool>("adjoint"));
    return std::make_unique<MatrixSolveOnGpu>(adjoint);
  }
  static bool HasGpuCode(const AttrMap& attrs) {
    return GpuLu::HasCode(attrs.GetOr<DType>("T", DType::kInvalid));
  }
  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor &matrix = ctx.input(0), &rhs = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const MatrixBatch batch, SquareMatricesOf(matrix, "matrix"));
    WB_RETURN_IF_ERROR(CheckSystem(matrix, rhs));
    WB_ASSIGN_OR_RETURN(Tensor * x, ctx.Allocate(0, rhs.shape()));
    if (rhs.num_elements() == 0) return OkStatus();
    WB_ASSIGN_OR_RETURN(const GpuLu lu, GpuLu::Enqueue(ctx, stream, matrix, batch, adjoint_));
    WB_RETURN_IF_ERROR(lu.CheckInvertible(ctx, stream, NotInvertible()));
    const int64_t columns = rhs.dim(rhs.rank() - 1);
    // One column stands the same either way.
    Tensor by_column = *x;
    if (columns > 1) {
      WB_ASSIGN_OR_RETURN(by_column, ctx.AllocateTemp(rhs.dtype(), rhs.shape()));
    }
    MatrixCopy copy;
    copy.from = rhs.raw_data();
    copy.to = by_column.raw_data();
    copy.count = batch.count;
    copy.rows = batch.rows;
    copy.columns = columns;
    copy.transpose = true;
    WB_RETURN_IF_ERROR(EnqueueCopy(stream, rhs.dtype(), copy));
    WB_RETURN_IF_ERROR(
        lu.EnqueueSolve(ctx, stream, columns, /*transpose=*/false, by_column.raw_data()));
    if (columns == 1) return OkStatus();
    copy.from = by_column.raw_data();
    copy.to = x->raw_data();
    copy.rows = columns;
    copy.columns = batch.rows;
    return EnqueueCopy(stream, rhs.dtype(), copy);
  }

 private:
  const bool adjoint_;
};

WB_GPU_KERNEL("MatrixSolve", MatrixSolveOnGpu);

}  // namespace
}  // namespace warpbeam
