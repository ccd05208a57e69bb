// SymbolicGradient: a call of a library function's gradient, which is made when the call is.
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "ops/control_flow/function_call.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class SymbolicGradientKernel final : public AsyncKernel {
 public:
  SymbolicGradientKernel(const KernelInit& init, FunctionRef gradient)
      : gradient_(init, std::move(gradient)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(FunctionRef f, init.attr<FunctionRef>("f"));
    FunctionRef gradient;
    gradient.name = "SymbolicGradient";
    gradient.attrs.Set("f", std::move(f));
    return std::make_unique<SymbolicGradientKernel>(init, std::move(gradient));
  }
  void ComputeAsync(KernelContext& ctx, Done done) override {
    gradient_.Run(ctx.step(), InputsOf(ctx, 0, ctx.num_inputs()),
                  [this, &ctx, done](Status s, std::vector<Tensor> results) {
                    gradient_.Ended();
                    const size_t wanted = static_cast<size_t>(ctx.num_outputs());
                    if (s.ok() && results.size() != wanted) {
                      s = InvalidArgument("SymGrad expects to return ", wanted,
                                          " tensor(s), but get ", results.size(), " instead");
                    }
                    if (s.ok()) s = SetOutputs(ctx, gradient_.name(), std::move(results));
                    done(std::move(s));
                  });
  }

 private:
  FunctionCall gradient_;
};

// The gradients are shaped like the function's arguments.
Status GradientShape(ShapeContext& c) {
  if (c.num_inputs() < c.num_outputs()) {
    return InvalidArgument("has ", c.num_outputs(),
                           " outputs, one for each of the function's "
                           "arguments, but only ",
                           c.num_inputs(), " inputs");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
  return OkStatus();
}

WB_OP("SymbolicGradient")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .Shape(GradientShape);
WB_KERNEL("SymbolicGradient", SymbolicGradientKernel).Cpu().Gpu().Async();

WB_NOT_DIFFERENTIABLE("SymbolicGradient",
                      "it makes its gradient when it is called; differentiate a call of the "
                      "function itself instead");

}  // namespace
}  // namespace warpbeam
