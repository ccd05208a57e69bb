// PyFunc, PyFuncStateless: Python functions by the number that a program has given them. Graphs
// with such nodes are taken, and what does not need them runs; the functions themselves are in the
// process that wrote the graph, which is never this one.
#include <memory>
#include <string>
#include <utility>

#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class PyFuncKernel final : public Kernel {
 public:
  explicit PyFuncKernel(std::string token) : token_(std::move(token)) {}
  static absl::StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::string token, init.attr<std::string>("token"));
    return std::make_unique<PyFuncKernel>(std::move(token));
  }
  absl::Status Compute(KernelContext&) override {
    return InvalidArgument("callback ", token_,
                           " is not found: it is a Python function of the program that wrote the "
                           "graph; run that part of the graph there");
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
