#include "runtime/lower/member_run.h"

#include <utility>
#include <vector>

#include "graph/types/shown_name.h"
#include "runtime/device/device.h"
#include "runtime/state/variable.h"

namespace warpbeam {

using Kind = FusedProgram::Operand::Kind;

Status OfMember(const Status& status, const FusedProgram::Step& step) {
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat("node '", ShownName(step.name), "', fused into this one"));
}

Status RunMembers(const FusedProgram& program, KernelContext& ctx, Tensor* first) {
  const auto num_inputs = static_cast<int32_t>(program.inputs.size());
  const auto num_steps = static_cast<int32_t>(program.steps.size());
  const auto num_variables = static_cast<int32_t>(program.variables.size());
  std::vector<Slot> slots(num_inputs + num_steps + num_variables);
  for (int32_t v = 0; v < num_variables; ++v) {
    RefVariable* ref = ctx.input_ref(program.variables[v].input);
    if (!program.variables[v].is_read || ref == nullptr) continue;
    Tensor& reading = slots[num_inputs + num_steps + v].value;
    WB_ASSIGN_OR_RETURN(reading, ref->ReadInitialized());
    if (ctx.device() != nullptr) {
      reading.set_raw_data(ctx.device()->ToKernelAddress(reading.raw_data()));
    }
  }
  for (int32_t i = 0; i < num_inputs; ++i) {
    slots[i].value = ctx.input(i);
    slots[i].ref = ctx.input_ref(i);
  }
  if (first != nullptr) slots[num_inputs].value = std::move(*first);
  for (int32_t s = first != nullptr ? 1 : 0; s < num_steps; ++s) {
    const FusedProgram::Step& step = program.steps[s];
    std::vector<int32_t> input_slots;
    for (const FusedProgram::Operand& in : step.inputs) {
      input_slots.push_back(in.kind == Kind::kResult     ? num_inputs + in.index
                            : in.kind == Kind::kReading  ? num_inputs + num_steps + in.index
                            : in.kind == Kind::kVariable ? program.variables[in.index].input
                                                         : in.index);
    }
    KernelContext::NodeInfo info = {};
    info.input_slots = input_slots.data();
    info.num_inputs = static_cast<int32_t>(input_slots.size());
    info.output_types = step.output_types.data();
    info.num_outputs = static_cast<int32_t>(step.output_types.size());
    info.output_start = num_inputs + s;
    KernelContext member(slots.data(), info, ctx.device(), ctx.step());
    WB_RETURN_IF_ERROR(OfMember(step.kernel->Compute(member), step));
    if (step.output < 0) continue;
    const Slot& result = slots[num_inputs + s];
    if (result.ref != nullptr) {
      ctx.set_output_ref(step.output, result.ref);
    } else {
      ctx.set_output(step.output, result.value);
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
