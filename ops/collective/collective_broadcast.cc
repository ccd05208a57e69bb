// CollectiveBcastSend, CollectiveBcastRecv and their second versions: every member of a group gets
// the tensor of the one member that sends.
#include <algorithm>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/index/index_argument.h"
#include "ops/collective/collective_kernel.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

StatusOr<Tensor> TheSources(const std::string& instance,
                            const std::vector<CollectiveMember>& members) {
  const auto is_source = [](const CollectiveMember& member) { return member.is_source; };
  const auto source = std::find_if(members.begin(), members.end(), is_source);
  if (source == members.end()) {
    return Internal(kAbortedBy, "Instance ", instance,
                    " found no source for broadcast.  This could mean ",
                    "that there were group_size=", members.size(), " BcastRecvs but no BcastSend.");
  }
  const auto other = std::find_if(source + 1, members.end(), is_source);
  if (other != members.end()) {
    return Internal(kAbortedBy, "Instance ", instance, " already has source ",
                    source - members.begin(), ", received second claim from ",
                    other - members.begin());
  }
  return source->input;
}

class Broadcast : public CollectiveKernel {
 protected:
  void Join(KernelContext& ctx, CollectiveCall call, Done done) const {
    call.combine = [instance = call.instance](KernelContext&,
                                              const std::vector<CollectiveMember>& members) {
      return TheSources(instance, members);
    };
    JoinCollective(ctx, std::move(call), std::move(done));
  }
};

template <int first_key>
class SendKernel final : public Broadcast {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<SendKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, first_key));
    if (first_key < 0) {
      WB_ASSIGN_OR_RETURN(kernel->declared_, init.attr<PartialShape>("shape"));
    }
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kBroadcast);
    if (!call.ok()) return done(call.status());
    call->shape = ctx.input(0).shape();
    if (!declared_.IsCompatibleWith(PartialShape(call->shape))) {
      return done(
          Internal("Declared shape of op does not match shape of input: ", declared_.ToString(),
                   " is declared, the input is ", call->shape.ToString()));
    }
    call->member.input = ctx.input(0);
    call->member.is_source = true;
    Join(ctx, *std::move(call), std::move(done));
  }

 private:
  PartialShape declared_;
};

class ReceiveKernel final : public Broadcast {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ReceiveKernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, -1));
    WB_ASSIGN_OR_RETURN(const PartialShape shape, init.attr<PartialShape>("shape"));
    if (!shape.IsFullyDefined()) {
      return InvalidArgument("the shape of what is received must be known, not ", shape.ToString());
    }
    WB_ASSIGN_OR_RETURN(kernel->shape_, shape.AsShape());
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kBroadcast);
    if (!call.ok()) return done(call.status());
    call->shape = shape_;
    Join(ctx, *std::move(call), std::move(done));
  }

 private:
  Shape shape_;
};

class ReceiveV2Kernel final : public Broadcast {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    auto kernel = std::make_unique<ReceiveV2Kernel>();
    WB_RETURN_IF_ERROR(kernel->Init(init, 0));
    return kernel;
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<CollectiveCall> call = Call(ctx, kBroadcast);
    if (!call.ok()) return done(call.status());
    StatusOr<Shape> shape = ReadShape(ctx.input(3), "shape");
    if (!shape.ok()) return done(shape.status());
    call->shape = *std::move(shape);
    Join(ctx, *std::move(call), std::move(done));
  }
};

Status ReceivedShape(ShapeContext& c) {
  WB_ASSIGN_OR_RETURN(PartialShape shape, c.ShapeFromInput(3));
  c.set_output(0, std::move(shape));
  return OkStatus();
}

WB_OP("CollectiveBcastSend")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Output("data: T")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("shape: shape")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(DeclaredShape);
WB_KERNEL("CollectiveBcastSend", SendKernel<-1>).Cpu().Gpu().Async().Unbounded();
WB_GPU_KERNEL("CollectiveBcastSend", SendKernel<-1>);

WB_OP("CollectiveBcastRecv")
    .Role(OpRole::kCollective)
    .Output("data: T")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("group_size: int")
    .Attr("group_key: int")
    .Attr("instance_key: int")
    .Attr("shape: shape")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(DeclaredShape);
WB_KERNEL("CollectiveBcastRecv", ReceiveKernel).Cpu().Gpu().Async().Unbounded();
WB_GPU_KERNEL("CollectiveBcastRecv", ReceiveKernel);

WB_OP("CollectiveBcastSendV2")
    .Role(OpRole::kCollective)
    .Input("input: T")
    .Input("group_size: int32")
    .Input("group_key: int32")
    .Input("instance_key: int32")
    .Output("data: T")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Unchanged);
WB_KERNEL("CollectiveBcastSendV2", SendKernel<1>)
    .Cpu()
    .Gpu()
    .HostMemory({"group_size", "group_key", "instance_key"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveBcastSendV2", SendKernel<1>);

WB_OP("CollectiveBcastRecvV2")
    .Role(OpRole::kCollective)
    .Input("group_size: int32")
    .Input("group_key: int32")
    .Input("instance_key: int32")
    .Input("shape: Tshape")
    .Output("data: T")
    .Attr("T: {bool, float, half, double, int32, int64}")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Attr("communication_hint: string = 'auto'")
    .Attr("timeout_seconds: float = 0")
    .Stateful()
    .DistributedCommunication()
    .Shape(ReceivedShape);
WB_KERNEL("CollectiveBcastRecvV2", ReceiveV2Kernel)
    .Cpu()
    .Gpu()
    .HostMemory({"group_size", "group_key", "instance_key", "shape"})
    .Async()
    .Unbounded();
WB_GPU_KERNEL("CollectiveBcastRecvV2", ReceiveV2Kernel);

}  // namespace
}  // namespace warpbeam
