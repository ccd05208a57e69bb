// PyFunc, PyFuncStateless: functions of the program by the token that it has given them
// (runtime/host_function/host_function.h). Graphs with Python's functions are taken, too, and what
// does not need them runs; those functions are in the process that wrote the graph, which is never
// this one.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/host_function/host_function.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class PyFuncKernel final : public Kernel {
 public:
  explicit PyFuncKernel(std::string token) : token_(std::move(token)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string token, init.attr<std::string>("token"));
    return std::make_unique<PyFuncKernel>(std::move(token));
  }
  Status Compute(KernelContext& ctx) override {
    const std::shared_ptr<const HostFunction> function = FindHostFunction(token_);
    if (function == nullptr) {
      return InvalidArgument("callback ", token_,
                             " is not found: it is a Python function of the program that wrote "
                             "the graph; run that part of the graph there");
    }
    std::vector<Tensor> inputs, outputs;
    for (int i = 0; i < ctx.num_inputs(); ++i) inputs.push_back(ctx.input(i));
    WB_RETURN_IF_ERROR((*function)(inputs, &outputs));
    if (static_cast<int>(outputs.size()) != ctx.num_outputs()) {
      return InvalidArgument("the host function gives ", outputs.size(), " tensors where the node ",
                             "has ", ctx.num_outputs(), " outputs");
    }
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      if (outputs[i].dtype() != ctx.output_type(i)) {
        return InvalidArgument("output ", i, " of the host function is ",
                               DTypeName(outputs[i].dtype()), ", the node's is ",
                               DTypeName(ctx.output_type(i)));
      }
      ctx.set_output(i, std::move(outputs[i]));
    }
    return OkStatus();
  }

 private:
  const std::string token_;
};

WB_OP("PyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Stateful()
    .Shape(shapes::Unknown);
WB_OP("PyFuncStateless")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .Shape(shapes::Unknown);
WB_KERNEL("PyFunc", PyFuncKernel).Cpu();
WB_KERNEL("PyFuncStateless", PyFuncKernel).Cpu();

WB_NO_GRADIENT("PyFunc");
WB_NO_GRADIENT("PyFuncStateless");

}  // namespace
}  // namespace warpbeam
