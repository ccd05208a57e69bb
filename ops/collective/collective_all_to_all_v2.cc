// CollectiveAllToAllV2: row p of the tensor of a group's member q becomes row q of what member p
// gets, in the order of the members' devices.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/all_to_all.h"
#include "ops/collective/collective_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CollectiveAllToAllV2Kernel final : public CollectiveKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveAllToAllV2Kernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, /*first_key=*/1));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kAllToAll);
    if (!call.ok()) return done(call.status());
    call->shape = ctx.input(0).shape();
    Status checked = CheckPieces(call->shape, call->group_size);
    if (!checked.ok()) return done(std::move(checked));
    call->member.input = ctx.input(0);
    call->combine = ExchangePieces;
    JoinCollective(ctx, *std::move(call), std::move(done));
  }
};

WB_OP("CollectiveAllToAllV2")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Input("group_size: int32")
    .Input("group_key: int32")
    .Input("instance_key: int32")
    .Input("ordering_token: Nordering_token * resource")
    .Output("data: T")
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Attr("is_stateless: bool = false")
    .Attr("Nordering_token: int >= 0 = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Unchanged);
WB_KERNEL("CollectiveAllToAllV2", CollectiveAllToAllV2Kernel)
    .Cpu()
    .Gpu()
    .HostMemory({"group_size", "group_key", "instance_key"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveAllToAllV2", CollectiveAllToAllV2Kernel);

}  // namespace
}  // namespace warpbeam
