// CollectiveGather, CollectiveGatherV2: every member of a group gets all members' tensors, one
// after the other along the first dimension, in the order of the members' devices.
#include <cstring>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/collective/collective_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

absl::StatusOr<Tensor> Gather(KernelContext& ctx, const std::vector<CollectiveMember>& members) {
  const Tensor& first = members[0].input;
  const auto count = static_cast<int64_t>(members.size());
  WB_ASSIGN_OR_RETURN(const Shape shape, first.shape().WithDim(0, count * first.dim(0)));
  WB_ASSIGN_OR_RETURN(Tensor result, ctx.AllocateTemp(first.dtype(), shape));
  auto* out = static_cast<char*>(result.raw_data());
  for (const CollectiveMember& member : members) {
    if (member.input.bytes() > 0) memcpy(out, member.input.raw_data(), member.input.bytes());
    out += member.input.bytes();
  }
  return result;
}

template <int first_key>
class CollectiveGatherKernel final : public CollectiveKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<CollectiveGatherKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, first_key));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    absl::StatusOr<CollectiveCall> call = Call(ctx, kGather);
    if (!call.ok()) return done(call.status());
    if (ctx.input(0).rank() == 0) {
      return done(InvalidArgument("input should have rank > 0, recieved ", ctx.input(0).rank()));
    }
    call->shape = ctx.input(0).shape();
    call->member.input = ctx.input(0);
    call->combine = Gather;
    JoinCollective(ctx, *std::move(call), std::move(done));
  }
};

absl::Status GatheredShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, 1));
  if (shape.has_rank()) shape.set_dim(0, -1);
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

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
WB_KERNEL("CollectiveGather", CollectiveGatherKernel<-1>)
    .Cpu()
    .Gpu()
    .HostMemory({"input", "data"})
    .Async()
    .Unbounded();

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
    .Shape(GatheredShape);
WB_KERNEL("CollectiveGatherV2", CollectiveGatherKernel<1>)
    .Cpu()
    .Gpu()
    .HostMemory({"input", "group_size", "group_key", "instance_key", "data"})
    .Async()
    .Unbounded();

}  // namespace
}  // namespace warpbeam
