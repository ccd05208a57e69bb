// CollectiveReduce, CollectiveReduceV2: every member of a group gets the sum (product, minimum,
// maximum) of all members' tensors, or their mean.
//
// Signed integers are divided as C++ divides them, which is what TensorFlow does.
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/collective_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

template <int first_key>
class CollectiveReduceKernel final : public ReducingKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveReduceKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, first_key));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kReduction);
    if (!call.ok()) return done(call.status());
    call->shape = ctx.input(0).shape();
    JoinReduction(ctx, *std::move(call), std::move(done));
  }
};

WB_OP("CollectiveReduce")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Output("data: T")
    .Attr("T: {bfloat16, float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("merge_op: {'Min', 'Max', 'Mul', 'Add'}")
    .Attr("final_op: {'Id', 'Div'}")
    .Attr("subdiv_offsets: list(int)")
    .Attr("wait_for: list(int) = []")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Unchanged);
WB_KERNEL("CollectiveReduce", CollectiveReduceKernel<-1>).Cpu().Gpu().Async().Unbounded();
WB_GPU_KERNEL("CollectiveReduce", CollectiveReduceKernel<-1>);

WB_OP("CollectiveReduceV2")
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
    .Shape(shapes::Unchanged);
WB_KERNEL("CollectiveReduceV2", CollectiveReduceKernel<1>)
    .Cpu()
    .Gpu()
    .HostMemory({"group_size", "group_key", "instance_key"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveReduceV2", CollectiveReduceKernel<1>);

}  // namespace
}  // namespace warpbeam
