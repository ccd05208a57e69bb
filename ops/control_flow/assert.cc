// Assert: fails the step when its condition does not hold. Abort is refused.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/array/function_kernel.h"
#include "ops/string/text/tensor_text.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class AssertKernel final : public Kernel {
 public:
  explicit AssertKernel(int64_t summarize) : summarize_(summarize) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    return std::make_unique<AssertKernel>(init.attrs.GetOr<int64_t>("summarize", 3));
  }
  Status Compute(KernelContext& ctx) override {
    const Tensor& condition = ctx.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("the condition must be a scalar, not of shape ",
                             condition.shape().ToString());
    }
    if (*condition.data<bool>()) return OkStatus();
    std::string message = "assertion failed:";
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      absl::StrAppend(&message, " [", SummarizeValues(ctx.input(i), summarize_), "]");
    }
    return InvalidArgument(message);
  }

 private:
  const int64_t summarize_;
};

Status RefuseAbort(KernelContext&) {
  return Unimplemented("Abort would end the process and with it all its sessions; use Assert");
}

WB_OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .Stateful()
    .Shape(shapes::NoOutputs);
WB_KERNEL("Assert", AssertKernel).Cpu().Gpu().HostMemory({"condition", "data"}).Cheap();

WB_OP("Abort")
    .Attr("error_msg: string = ''")
    .Attr("exit_without_error: bool = false")
    .Shape(shapes::NoOutputs);
WB_KERNEL("Abort", FunctionKernel<RefuseAbort>).Cpu().Cheap();
WB_NO_GRADIENT("Assert");

}  // namespace
}  // namespace warpbeam
