// SparseConcat on a GPU: the parts' rows one after the other, moved along the axis, then in order.
#include <memory>

#include "ops/array/gpu_copier.h"
#include "ops/array/gpu_rows.h"
#include "ops/sparse/gpu/row_order.h"
#include "ops/sparse/sparse_concat_shape.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class SparseConcatOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(const int64_t axis, init.attr<int64_t>("concat_dim"));
    return std::make_unique<SparseConcatOnGpu>(axis);
  }
  static bool HasGpuCode(const AttrMap&) { return GpuCopier::HasCode(); }
  explicit SparseConcatOnGpu(int64_t axis) : axis_(axis) {}

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const SparseConcatParts all, SparseConcatParts::Read(ctx, axis_));
    const int rank = all.parts[0].rank;
    const DType dtype = ctx.output_type(1);
    const auto value_bytes = static_cast<int64_t>(DTypeSize(dtype));
    WB_ASSIGN_OR_RETURN(Tensor rows, ctx.AllocateTemp(DType::kInt64, Shape({all.count, rank})));
    WB_ASSIGN_OR_RETURN(Tensor joined, ctx.AllocateTemp(dtype, Shape({all.count})));
    int64_t at = 0;
    for (size_t p = 0; p < all.parts.size(); ++p) {
      const SparseView& x = all.parts[p];
      WB_RETURN_IF_ERROR(ShiftRowsOnGpu(stream, x.indices, rows.data<int64_t>() + at * rank,
                                        x.count, rank, all.axis, all.begins[p]));
      RowMoves moves;
      moves.count = x.count;
      WB_RETURN_IF_ERROR(MoveRowsOnGpu(stream, value_bytes, x.values->raw_data(), moves,
                                       static_cast<char*>(joined.raw_data()) + at * value_bytes));
      at += x.count;
    }
    WB_ASSIGN_OR_RETURN(const Tensor order,
                        RowOrderOnGpu(ctx, stream, rows.data<int64_t>(), all.count, rank));
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, rows.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(1, joined.shape()));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2, Shape({rank})));
    WB_RETURN_IF_ERROR(WriteIndices(all.dims, shape));
    RowMoves moves;
    moves.from = order.data<int64_t>();
    moves.count = all.count;
    WB_RETURN_IF_ERROR(MoveRowsOnGpu(stream, rank * static_cast<int64_t>(sizeof(int64_t)),
                                     rows.raw_data(), moves, indices->raw_data()));
    return MoveRowsOnGpu(stream, value_bytes, joined.raw_data(), moves, values->raw_data());
  }

 private:
  const int64_t axis_;
};

}  // namespace

WB_GPU_KERNEL("SparseConcat", SparseConcatOnGpu);

}  // namespace warpbeam
