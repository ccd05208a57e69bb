// _Send, _Recv, _HostSend, _HostRecv: hand a tensor from one part of a step to another, of another
// task. Cutting a graph by tasks makes them (placement/cut.h); both ends name the transfer by the
// same key, and the step's rendezvous brings them together.
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/comm/rendezvous.h"
#include "runtime/comm/transfer_kernel.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/kernel/step_context.h"

namespace warpbeam {
namespace {

// The key but for the loop: "sending device;incarnation;receiving device;edge;".
StatusOr<std::string> KeyOf(const KernelInit& init) {
  WB_ASSIGN_OR_RETURN(const std::string name, init.attr<std::string>("tensor_name"));
  WB_ASSIGN_OR_RETURN(const std::string from, init.attr<std::string>("send_device"));
  WB_ASSIGN_OR_RETURN(const int64_t incarnation, init.attr<int64_t>("send_device_incarnation"));
  WB_ASSIGN_OR_RETURN(const std::string to, init.attr<std::string>("recv_device"));
  return absl::StrFormat("%s;%016x;%s;%s;", from, static_cast<uint64_t>(incarnation), to, name);
}

StatusOr<Rendezvous*> RendezvousOf(const KernelContext& ctx) {
  Rendezvous* const rendezvous = ctx.step()->rendezvous();
  if (rendezvous != nullptr) return rendezvous;
  return FailedPrecondition(
      "this step has nobody to send to or to receive from: it is no part of a step of several "
      "tasks");
}

std::string Completed(const std::string& key, const LoopPlace& place) {
  return absl::StrCat(key, place.frame, ":", place.iteration);
}

class SendKernel final : public TransferKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string key, KeyOf(init));
    return std::make_unique<SendKernel>(std::move(key));
  }
  explicit SendKernel(std::string key) : TransferKernel(/*sends=*/true), key_(std::move(key)) {}

  void Transfer(KernelContext& ctx, const LoopPlace& place, Done done) override {
    const StatusOr<Rendezvous*> rendezvous = RendezvousOf(ctx);
    if (!rendezvous.ok()) return done(rendezvous.status());
    Rendezvous::Value value;
    value.is_dead = ctx.input_is_dead(0) || !ctx.input(0).has_value();
    if (!value.is_dead) value.tensor = ctx.TakeInput(0);
    done((*rendezvous)->Send(Completed(key_, place), std::move(value)));
  }

 private:
  const std::string key_;
};

class RecvKernel final : public TransferKernel {
 public:
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string key, KeyOf(init));
    return std::make_unique<RecvKernel>(std::move(key));
  }
  explicit RecvKernel(std::string key) : TransferKernel(/*sends=*/false), key_(std::move(key)) {}

  void Transfer(KernelContext& ctx, const LoopPlace& place, Done done) override {
    const StatusOr<Rendezvous*> rendezvous = RendezvousOf(ctx);
    if (!rendezvous.ok()) return done(rendezvous.status());
    (*rendezvous)
        ->Receive(Completed(key_, place),
                  [this, &ctx, done = std::move(done)](StatusOr<Rendezvous::Value> value) {
                    if (!value.ok()) return done(value.status());
                    if (value->is_dead) return done(OkStatus());
                    if (value->tensor.dtype() != ctx.output_type(0)) {
                      return done(InvalidArgument("received ", DTypeName(value->tensor.dtype()),
                                                  " instead of ", DTypeName(ctx.output_type(0)),
                                                  " under the key '", key_, "'"));
                    }
                    ctx.set_output(0, std::move(value->tensor));
                    done(OkStatus());
                  });
  }

 private:
  const std::string key_;
};

#define WB_SEND(op)                            \
  WB_OP(op)                                    \
      .Input("tensor: T")                      \
      .Attr("T: type")                         \
      .Attr("tensor_name: string")             \
      .Attr("send_device: string")             \
      .Attr("send_device_incarnation: int")    \
      .Attr("recv_device: string")             \
      .Attr("client_terminated: bool = false") \
      .Stateful()                              \
      .Shape(shapes::NoOutputs);               \
  WB_KERNEL(op, SendKernel).Cpu().Gpu().HostMemory({"tensor"}).Async().Unbounded()

#define WB_RECV(op)                            \
  WB_OP(op)                                    \
      .Output("tensor: tensor_type")           \
      .Attr("tensor_type: type")               \
      .Attr("tensor_name: string")             \
      .Attr("send_device: string")             \
      .Attr("send_device_incarnation: int")    \
      .Attr("recv_device: string")             \
      .Attr("client_terminated: bool = false") \
      .Stateful()                              \
      .DistributedCommunication()              \
      .Shape(shapes::Unknown);                 \
  WB_KERNEL(op, RecvKernel).Cpu().Gpu().HostMemory({"tensor"}).Async().Unbounded()

WB_SEND("_Send");
WB_SEND("_HostSend");
WB_RECV("_Recv");
WB_RECV("_HostRecv");

}  // namespace
}  // namespace warpbeam
