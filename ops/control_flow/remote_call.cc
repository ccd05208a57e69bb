// RemoteCall: a call of a library function on another device of this task. Arguments and results
// pass through host memory.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/control_flow/function_call.h"
#include "placement/device_name.h"
#include "runtime/device/device.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class RemoteCallKernel final : public AsyncKernel {
 public:
  RemoteCallKernel(const KernelInit& init, FunctionRef f)
      : functions_(init.functions), function_(std::move(f)) {
    if (init.device != nullptr) own_ = init.device->name();
  }
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef f, init.attr<FunctionRef>("f"));
    return std::make_unique<RemoteCallKernel>(init, std::move(f));
  }

  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<FunctionCall*> call = CallOn(ctx.input(0));
    if (!call.ok()) return done(call.status());
    (*call)->Run(ctx.step(), InputsOf(ctx, 1, ctx.num_inputs()),
                 [call = *call, &ctx, done](Status s, std::vector<Tensor> results) {
                   call->Ended();
                   if (s.ok()) s = SetOutputs(ctx, call->name(), std::move(results));
                   done(std::move(s));
                 });
  }

 private:
  // The call for a target; there are as many as the task has devices.
  StatusOr<FunctionCall*> CallOn(const Tensor& target) {
    if (target.rank() != 0) {
      return InvalidArgument("'target' must be a scalar, but has shape ",
                             target.shape().ToString());
    }
    WB_ASSIGN_OR_RETURN(DeviceName device, DeviceName::Parse(target.scalar<std::string>()));
    if (!device.IsCompatibleWith(DeviceName{own_.job, own_.replica, own_.task, {}, {}})) {
      return Unimplemented("a call on a device of another task: '", target.scalar<std::string>(),
                           "' is none of ", own_.ToString(), "'s");
    }
    DeviceName full = own_;
    full.OverrideWith(device);
    if (!full.known_type().has_value()) {
      return InvalidArgument("there is no device '", target.scalar<std::string>(), "'");
    }
    constexpr size_t kMostTargets = 256;
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<FunctionCall>& call = calls_[full.ToString()];
    if (call == nullptr) {
      if (calls_.size() > kMostTargets) {
        calls_.erase(full.ToString());
        return ResourceExhausted("more than ", kMostTargets, " targets of one RemoteCall");
      }
      call = std::make_unique<FunctionCall>(functions_, function_, full.ToString());
    }
    return call.get();
  }

  FunctionRunner* const functions_;
  const FunctionRef function_;
  DeviceName own_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<FunctionCall>> calls_;  // under mutex_
};

WB_OP("RemoteCall")
    .Input("target: string")
    .Input("args: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .Stateful()
    .Shape(shapes::Unknown);
WB_KERNEL("RemoteCall", RemoteCallKernel)
    .Cpu()
    .Gpu()
    .HostMemory({"target", "args", "output"})
    .Async();

}  // namespace
}  // namespace warpbeam
