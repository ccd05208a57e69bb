// SparseSplit on a GPU: rows are sorted by their parts, the host is told how many each has, and
// then they are moved there.
#include "ops/launch/gpu_sort.h"
#include "ops/sparse/sparse_split_plan.h"

#if WB_HOST_PASS
#include <memory>
#include <vector>

#include "ops/array/gpu_copier.h"
#include "ops/array/gpu_rows.h"
#include "ops/sparse/gpu/row_order.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

// Rows that lie out of the dense shape come last.
struct SplitPartKeys {
  static constexpr int kMostDims = 64;

  const int64_t* indices;
  int rank, axis;
  SplitCuts cuts;
  int64_t parts;
  int64_t dims[kMostDims];

  WB_BLOCK uint64_t Key(int64_t row) const {
    for (int d = 0; d < rank; ++d) {
      const int64_t at = indices[row * rank + d];
      if (at < 0 || at >= dims[d]) return static_cast<uint64_t>(parts);
    }
    return static_cast<uint64_t>(cuts.PartOf(indices[row * rank + axis]));
  }
};

WB_GPU_GROUP_SORT(SplitPartKeys);

#if WB_HOST_PASS
namespace {

class SparseSplitOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseSplitOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<GroupEndsBlock<SplitPartKeys>>(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const int parts = ctx.num_outputs() / 3;
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(ctx, 1));
    WB_ASSIGN_OR_RETURN(const SparseSplitPlan plan, SparseSplitPlan::Make(x, ctx.input(0), parts));
    if (x.rank > SplitPartKeys::kMostDims) {
      return Unimplemented("splitting a sparse tensor of rank ", x.rank, " on a GPU: at most ",
                           SplitPartKeys::kMostDims);
    }
    SplitPartKeys keys = {x.indices, x.rank, plan.axis, plan.cuts, parts, {}};
    for (int d = 0; d < x.rank; ++d) keys.dims[d] = x.dims[d];
    WB_ASSIGN_OR_RETURN(const Tensor order,
                        SortedOrder(ctx, stream, keys, x.count, GroupBits(parts)));
    WB_ASSIGN_OR_RETURN(const std::vector<int64_t> ends,
                        ReadGroupEnds(ctx, stream, keys, order, parts));
    if (ends.back() < x.count) return Refuse(ctx, stream);
    RowMoves moves;
    for (int p = 0; p < parts; ++p) {
      const int64_t begin = p == 0 ? 0 : ends[static_cast<size_t>(p) - 1];
      moves.from = order.data<int64_t>() + begin;
      moves.count = ends[static_cast<size_t>(p)] - begin;
      WB_RETURN_IF_ERROR(MovePart(ctx, stream, x, plan, p, moves));
    }
    return OkStatus();
  }

 private:
  static Status MovePart(KernelContext& ctx, GpuStream& stream, const SparseView& x,
                         const SparseSplitPlan& plan, int p, const RowMoves& moves) {
    const int parts = ctx.num_outputs() / 3;
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(p, Shape({moves.count, x.rank})));
    WB_ASSIGN_OR_RETURN(Tensor * values, ctx.Allocate(parts + p, Shape({moves.count})));
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(2 * parts + p, Shape({x.rank})));
    WB_RETURN_IF_ERROR(WriteIndices(plan.DimsOf(x, p), shape));
    auto* const rows = indices->data<int64_t>();
    WB_RETURN_IF_ERROR(MoveRowsOnGpu(stream, x.rank * static_cast<int64_t>(sizeof(int64_t)),
                                     x.indices, moves, rows));
    WB_RETURN_IF_ERROR(
        ShiftRowsOnGpu(stream, rows, rows, moves.count, x.rank, plan.axis, -plan.cuts.Begin(p)));
    return MoveRowsOnGpu(stream, static_cast<int64_t>(DTypeSize(values->dtype())),
                         x.values->raw_data(), moves, values->raw_data());
  }
  // As the CPU does.
  static Status Refuse(KernelContext& ctx, ReadableGpuStream& stream) {
    WB_ASSIGN_OR_RETURN(const Tensor indices, stream.Read(ctx.input(1)));
    WB_ASSIGN_OR_RETURN(const SparseView x, ReadSparse(indices, ctx.input(2), ctx.input(3)));
    return CheckBounds(x);
  }
};

}  // namespace

WB_GPU_KERNEL("SparseSplit", SparseSplitOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
