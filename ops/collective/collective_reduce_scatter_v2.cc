// CollectiveReduceScatterV2: of the sum (product, minimum, maximum, mean) of all members' tensors
// each member of a group gets as many rows as any other, in the order of the members' devices.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/collective_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

Status CheckShares(const Shape& shape, int64_t members) {
  if (shape.rank() > 0 && members > 0 && shape.dim(0) % members == 0) return OkStatus();
  return InvalidArgument(kAbortedBy, "input to reduce-scatter of shape ", shape.ToString(),
                         " has no first dimension that the group size (", members, ") divides");
}

class CollectiveReduceScatterKernel final : public ReducingKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveReduceScatterKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, /*first_key=*/1));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kReduceScatter);
    if (!call.ok()) return done(call.status());
    call->shape = ctx.input(0).shape();
    Status checked = CheckShares(call->shape, call->group_size);
    if (!checked.ok()) return done(std::move(checked));
    JoinReduction(ctx, *std::move(call), std::move(done));
  }
};

WB_OP("CollectiveReduceScatterV2")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Input("group_size: int32")
    .Input("group_key: int32")
    .Input("instance_key: int32")
    .Input("ordering_token: Nordering_token * resource")
    .Output("data: T")
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
    .Attr("final_op: {'Id', 'Div'}")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Attr("is_stateless: bool = false")
    .Attr("Nordering_token: int >= 0 = 0")
    .Attr("max_subdivs_per_device: int = -1")
    .Stateful()
    .DistributedCommunication()
    .Shape(UnknownFirstDimension);
WB_KERNEL("CollectiveReduceScatterV2", CollectiveReduceScatterKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"group_size", "group_key", "instance_key"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveReduceScatterV2", CollectiveReduceScatterKernel);

}  // namespace
}  // namespace warpbeam
