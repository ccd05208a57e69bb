#include "runtime/lower/evaluator.h"

#include <memory>
#include <utility>

#include "runtime/kernel/kernel_context.h"
#include "runtime/lower/flush_denormals.h"

namespace warpbeam {

StatusOr<std::vector<Tensor>> NodeEvaluator::operator()(const Node& node,
                                                        const std::vector<Tensor>& inputs) const {
  const KernelDecl* decl = registry_.Find(node.op_name(), node.attrs(), DeviceType::kCpu);
  if (decl == nullptr || !decl->traits.bounded || decl->traits.async || node.op().is_stateful ||
      node.op().capability != Capability::kNone) {
    return Unimplemented("'", node.op_name(), "' is not evaluated while a plan is compiled");
  }
  KernelInit init{node.name(),
                  node.op(),
                  node.attrs(),
                  node.input_types(),
                  node.output_types(),
                  DeviceType::kCpu,
                  cpu_,
                  nullptr,
                  nullptr};
  WB_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, registry_.Create(init));
  if (kernel->is_async()) return Unimplemented("the kernel of '", node.op_name(), "' may wait");
  std::vector<Slot> slots(inputs.size() + node.num_outputs());
  std::vector<int32_t> input_slots;
  for (size_t i = 0; i < inputs.size(); ++i) {
    slots[i].value = inputs[i];
    input_slots.push_back(static_cast<int32_t>(i));
  }
  KernelContext::NodeInfo info = {};
  info.input_slots = input_slots.data();
  info.num_inputs = static_cast<int32_t>(inputs.size());
  info.output_types = node.output_types().data();
  info.num_outputs = node.num_outputs();
  info.output_start = info.num_inputs;
  KernelContext context(slots.data(), info, cpu_, nullptr);
  const FlushDenormals flush;  // as in a step
  WB_RETURN_IF_ERROR(kernel->Compute(context));
  std::vector<Tensor> outputs;
  for (int o = 0; o < node.num_outputs(); ++o) {
    Tensor& value = slots[info.output_start + o].value;
    if (!value.has_value()) return Unimplemented("'", node.name(), "' has no output ", o);
    outputs.push_back(std::move(value));
  }
  return outputs;
}

}  // namespace warpbeam
