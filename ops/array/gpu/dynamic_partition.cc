// DynamicPartition on a GPU: rows are sorted by their partitions, the host is told how many each
// has, and then they are moved there.
#include "ops/launch/gpu_sort.h"

#if WB_HOST_PASS
#include <memory>
#include <vector>

#include "ops/array/gpu_rows.h"
#include "ops/array/index/partitions.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/read_back_kernel.h"
#endif

namespace warpbeam::WB_PASS {

// Partitions that are not there come last.
struct PartitionKeys {
  const int32_t* partitions;
  int32_t count;
  WB_BLOCK uint64_t Key(int64_t row) const {
    const int32_t partition = partitions[row];
    return static_cast<uint64_t>(partition >= 0 && partition < count ? partition : count);
  }
};

WB_GPU_GROUP_SORT(PartitionKeys);

#if WB_HOST_PASS
namespace {

class DynamicPartitionOnGpu final : public ReadBackKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<DynamicPartitionOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<GroupEndsBlock<PartitionKeys>>(); }

  Status EnqueueReading(KernelContext& ctx, ReadableGpuStream& stream) override {
    const Tensor &data = ctx.input(0), &partitions = ctx.input(1);
    WB_RETURN_IF_ERROR(CheckPartitionedShapes(data, partitions));
    const int count = ctx.num_outputs();
    const int64_t rows = partitions.num_elements();
    const PartitionKeys keys = {partitions.data<int32_t>(), count};
    WB_ASSIGN_OR_RETURN(const Tensor order, SortedOrder(ctx, stream, keys, rows, GroupBits(count)));
    WB_ASSIGN_OR_RETURN(const std::vector<int64_t> ends,
                        ReadGroupEnds(ctx, stream, keys, order, count));
    if (ends.back() < rows) {
      WB_ASSIGN_OR_RETURN(const Tensor refused, stream.Read(partitions));
      return CheckPartitions(refused, count);
    }
    const int64_t row_bytes = rows == 0 ? 0 : static_cast<int64_t>(data.bytes()) / rows;
    RowMoves moves;
    for (int p = 0; p < count; ++p) {
      const int64_t begin = p == 0 ? 0 : ends[static_cast<size_t>(p) - 1];
      moves.from = order.data<int64_t>() + begin;
      moves.count = ends[static_cast<size_t>(p)] - begin;
      WB_ASSIGN_OR_RETURN(const Shape shape, PartitionShape(data, partitions, moves.count));
      WB_ASSIGN_OR_RETURN(Tensor * y, ctx.Allocate(p, shape));
      WB_RETURN_IF_ERROR(MoveRowsOnGpu(stream, row_bytes, data.raw_data(), moves, y->raw_data()));
    }
    return OkStatus();
  }
};

}  // namespace

WB_GPU_KERNEL("DynamicPartition", DynamicPartitionOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
