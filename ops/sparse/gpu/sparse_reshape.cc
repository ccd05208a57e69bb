// SparseReshape on a GPU: a thread for each row of indices.
#include "ops/launch/element_loop.h"
#include "ops/launch/gpu_function.h"
#include "ops/sparse/sparse_reshape_plan.h"

#if WB_HOST_PASS
#include <algorithm>
#include <memory>

#include "runtime/kernel/gpu_kernel.h"
#include "runtime/kernel/kernel_registry.h"
#endif

namespace warpbeam::WB_PASS {

struct MoveSparseRowsBlock {
  static constexpr int kMostDims = 64;

  const int64_t* from;
  int64_t* to;
  int64_t count;
  int from_rank, to_rank;
  int64_t from_strides[kMostDims], to_strides[kMostDims];

  WB_BLOCK void operator()(GpuBlock& block) const {
    ForEachElement(block, count, [&](int64_t i) {
      MoveSparseRow(from + i * from_rank, from_strides, from_rank, to_strides, to_rank,
                    to + i * to_rank);
    });
  }
};
WB_GPU_FUNCTION(MoveSparseRowsBlock);

#if WB_HOST_PASS
namespace {

class SparseReshapeOnGpu final : public GpuKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit&) {
    return std::make_unique<SparseReshapeOnGpu>();
  }
  static bool HasGpuCode(const AttrMap&) { return HasGpuFunction<MoveSparseRowsBlock>(); }

  Status Enqueue(KernelContext& ctx, GpuStream& stream) override {
    WB_ASSIGN_OR_RETURN(const SparseReshapePlan plan, SparseReshapePlan::Read(ctx));
    const int from_rank = plan.from.rank(), to_rank = static_cast<int>(plan.to.size());
    WB_ASSIGN_OR_RETURN(Tensor * shape, ctx.Allocate(1, Shape({to_rank})));
    WB_RETURN_IF_ERROR(WriteIndices(plan.to, shape));
    if (plan.IsIdentity()) {
      ctx.set_output(0, ctx.input(0));
      return OkStatus();
    }
    WB_ASSIGN_OR_RETURN(Tensor * indices, ctx.Allocate(0, Shape({plan.count, to_rank})));
    if (indices->num_elements() == 0) return OkStatus();
    MoveSparseRowsBlock move = {};
    if (std::max(from_rank, to_rank) > MoveSparseRowsBlock::kMostDims) {
      return Unimplemented("reshaping a sparse tensor from rank ", from_rank, " to ", to_rank,
                           " on a GPU: at most ", MoveSparseRowsBlock::kMostDims);
    }
    move.from = ctx.input(0).data<int64_t>();
    move.to = indices->data<int64_t>();
    move.count = plan.count;
    move.from_rank = from_rank;
    move.to_rank = to_rank;
    std::copy(plan.from_strides.begin(), plan.from_strides.end(), move.from_strides);
    std::copy(plan.to_strides.begin(), plan.to_strides.end(), move.to_strides);
    return Launch(stream, ElementGrid(plan.count), move);
  }
};

}  // namespace

WB_GPU_KERNEL("SparseReshape", SparseReshapeOnGpu);
#endif

}  // namespace warpbeam::WB_PASS
