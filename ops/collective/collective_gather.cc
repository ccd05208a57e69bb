// CollectiveGather, CollectiveGatherV2: every member of a group gets all members' tensors, one
// after the other along the first dimension, in the order of the members' devices.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/collective_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <int first_key>
class CollectiveGatherKernel final : public CollectiveKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveGatherKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, first_key));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kGather);
    if (!call.ok()) return done(call.status());
    if (ctx.input(0).rank() == 0) {
      return done(InvalidArgument("input should have rank > 0, recieved ", ctx.input(0).rank()));
    }
    call->shape = ctx.input(0).shape();
    call->member.input = ctx.input(0);
    call->combine = GatherInputs;
    JoinCollective(ctx, *std::move(call), std::move(done));
  }
};

WB_OP("CollectiveGather")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Output("data: T")
    .Attr("T: {float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("shape: shape")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(DeclaredShape);
WB_KERNEL("CollectiveGather", CollectiveGatherKernel<-1>).Cpu().Gpu().Async().Unbounded();
WB_GPU_KERNEL("CollectiveGather", CollectiveGatherKernel<-1>);

WB_OP("CollectiveGatherV2")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Input("group_size: int32")
    .Input("group_key: int32")
    .Input("instance_key: int32")
    .Input("ordering_token: Nordering_token * resource")
    .Output("data: T")
    .Attr("T: {float, half, double, int32, int64}")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Attr("is_stateless: bool = false")
    .Attr("Nordering_token: int >= 0 = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(UnknownFirstDimension);
WB_KERNEL("CollectiveGatherV2", CollectiveGatherKernel<1>)
    .Cpu()
    .Gpu()
    .HostMemory({"group_size", "group_key", "instance_key"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveGatherV2", CollectiveGatherKernel<1>);

}  // namespace
}  // namespace warpbeam
