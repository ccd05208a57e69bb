// SparseReorder on a GPU.
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/gpu_rows.h"
#include "ops/sparse/gpu/row_order.h"
#include "ops/sparse/sparse_tensor.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class SparseReorderOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseReorderOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return GpuCopier::HasCode(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor &indices = ctx.input(0), &values = ctx.input(1);
    WB_ASSIGN_OR_RETURN(const Tensor shape, stream.Read(ctx.input(2)));
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(indices, values, shape));
    WB_ASSIGN_OR_RETURN(const Tensor order, RowOrderOnGpu(ctx, stream, x.indices, x.count, x.rank));
    WB_ASSIGN_OR_RETURN(Tensor * ordered, ctx.Allocate(0, indices.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * moved, ctx.Allocate(1, values.shape()));
    RowMoves moves;
    moves.from = order.data<int64_t>();
    moves.count = x.count;
    WB_RETURN_IF_ERROR(MoveRowsOnGpu(stream, x.rank * static_cast<int64_t>(sizeof(int64_t)),
                                     x.indices, moves, ordered->raw_data()));
    return MoveRowsOnGpu(stream, static_cast<int64_t>(DTypeSize(values.dtype())), values.raw_data(),
                         moves, moved->raw_data());
  }
};

}  // namespace

WB_GPU_KERNEL("SparseReorder", SparseReorderOnGpu);

}  // namespace warpbeam
