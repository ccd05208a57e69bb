// _Constants: what a node with several outputs becomes when its results are known while a plan is
// compiled (graph/passes/fold_constants.h).
#include "graph/gradients/gradient_registry.h"
#include "graph/op/op_registry.h"
#include "graph/op/shape_context.h"
#include "runtime/kernel/kernel_context.h"
#include "runtime/kernel/kernel_registry.h"

namespace warpbeam {
namespace {

class ConstantsKernel final : public Kernel {
 public:
  explicit ConstantsKernel(std::vector<Tensor> values) : values_(std::move(values)) {}
  static StatusOr<std::unique_ptr<Kernel>> Create(KernelInit& init) {
    WB_ASSIGN_OR_RETURN(std::vector<Tensor> values, init.attr<std::vector<Tensor>>("values"));
    if (values.size() != init.output_types.size()) {
      return InvalidArgument("there are ", values.size(), " values for ", init.output_types.size(),
                             " outputs");
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].dtype() == init.output_types[i]) continue;
      return InvalidArgument("value ", i, " is ", DTypeName(values[i].dtype()), ", the output ",
                             DTypeName(init.output_types[i]));
    }
    return std::make_unique<ConstantsKernel>(std::move(values));
  }
  Status Compute(KernelContext& ctx) override {
    for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, values_[i]);
    return OkStatus();
  }

 private:
  const std::vector<Tensor> values_;
};

WB_OP("_Constants")
    .Role(OpRole::kConstant)
    .Output("outputs: Tout")
    .Attr("values: list(tensor)")
    .Attr("Tout: list(type) >= 1")
    .Doc("Stands for a node with known results only while a plan is compiled.");
WB_KERNEL("_Constants", ConstantsKernel).Cpu().Cheap();
WB_NOT_DIFFERENTIABLE("_Constants", "it stands for a node only while a plan is compiled");

}  // namespace
}  // namespace warpbeam
