// PartitionedCall, StatefulPartitionedCall: a call of a library function.
//
// A node whose op is a function's own name becomes one of these.
#include "graph/gradients/function_gradient.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/control_flow/function_call.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class CallKernel final : public AsyncKernel {
 public:
  CallKernel(const KernelInit& init, FunctionRef f) : function_(init, std::move(f)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef f, init.attr<FunctionRef>("f"));
    WB_RETURN_IF_ERROR(CheckSignature(init, "f", f, init.input_types, init.output_types));
    return std::make_unique<CallKernel>(init, std::move(f));
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    function_.Run(ctx.step(), InputsOf(ctx, 0, ctx.num_inputs()),
                  [this, &ctx, done](Status s, std::vector<Tensor> results) {
                    function_.Ended();
                    if (s.ok()) s = SetOutputs(ctx, function_.name(), std::move(results));
                    done(std::move(s));
                  });
  }

 private:
  FunctionCall function_;
};

WB_OP("PartitionedCall")
    .Role(OpRole::kCall)
    .Input("args: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("f: func")
    .Attr("config: string = ''")
    .Attr("config_proto: string = ''")
    .Attr("executor_type: string = ''")
    .Shape(shapes::Unknown);
WB_KERNEL("PartitionedCall", CallKernel).Cpu().Gpu().Async();

WB_OP("StatefulPartitionedCall")
    .Role(OpRole::kCall)
    .Input("args: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Attr("f: func")
    .Attr("config: string = ''")
    .Attr("config_proto: string = ''")
    .Attr("executor_type: string = ''")
    .Stateful()
    .DistributedCommunication()
    .Shape(shapes::Unknown);
WB_KERNEL("StatefulPartitionedCall", CallKernel).Cpu().Gpu().Async();

Status CalleeGradient(GradContext& c) {
  WB_ASSIGN_OR_RETURN(FunctionRef f, c.attr<FunctionRef>("f"));
  return PlainCallGradient(c, f);
}
WB_GRADIENT("PartitionedCall", CalleeGradient);
WB_GRADIENT("StatefulPartitionedCall", CalleeGradient);

}  // namespace
}  // namespace warpbeam
