// clang-format off
// Written by //frontend/gen:generate from the ops' schemas; do not edit.
#include "frontend/ops/control_flow_ops.h"

namespace warpbeam {
namespace frontend {
namespace ops {

Operation Abort(ScopeRef scope, const AbortAttrs& attrs) {
  return BuildOp(
      scope.scope(), "Abort", {},
      attrs);
}

Operation ControlTrigger(ScopeRef scope) {
  return BuildOp(
      scope.scope(), "ControlTrigger", {},
      OpAttrs());
}

Output Enter(ScopeRef scope, const Input& data, const std::string& frame_name,
    const EnterAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "Enter", {data},
      OpAttrs(attrs)
          .Set("frame_name", frame_name));
}

Output Exit(ScopeRef scope, const Input& data) {
  return BuildOutput(
      scope.scope(), "Exit", {data},
      OpAttrs());
}

Output LoopCond(ScopeRef scope, const Input& input) {
  return BuildOutput(
      scope.scope(), "LoopCond", {input},
      OpAttrs());
}

MergeOutputs Merge(ScopeRef scope, const InputList& inputs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "Merge", {inputs},
      OpAttrs());
  MergeOutputs outputs;
  outputs.output = OutputOf(here, built, "output");
  outputs.value_index = OutputOf(here, built, "value_index");
  outputs.op = built;
  return outputs;
}

Output NextIteration(ScopeRef scope, const Input& data) {
  return BuildOutput(
      scope.scope(), "NextIteration", {data},
      OpAttrs());
}

Operation NoOp(ScopeRef scope) {
  return BuildOp(
      scope.scope(), "NoOp", {},
      OpAttrs());
}

Output RefEnter(ScopeRef scope, const Input& data, const std::string& frame_name,
    const RefEnterAttrs& attrs) {
  return BuildOutput(
      scope.scope(), "RefEnter", {data},
      OpAttrs(attrs)
          .Set("frame_name", frame_name));
}

Output RefExit(ScopeRef scope, const Input& data) {
  return BuildOutput(
      scope.scope(), "RefExit", {data},
      OpAttrs());
}

RefMergeOutputs RefMerge(ScopeRef scope, const InputList& inputs) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "RefMerge", {inputs},
      OpAttrs());
  RefMergeOutputs outputs;
  outputs.output = OutputOf(here, built, "output");
  outputs.value_index = OutputOf(here, built, "value_index");
  outputs.op = built;
  return outputs;
}

Output RefNextIteration(ScopeRef scope, const Input& data) {
  return BuildOutput(
      scope.scope(), "RefNextIteration", {data},
      OpAttrs());
}

Output RefSelect(ScopeRef scope, const Input& index, const InputList& inputs) {
  return BuildOutput(
      scope.scope(), "RefSelect", {index, inputs},
      OpAttrs());
}

RefSwitchOutputs RefSwitch(ScopeRef scope, const Input& data, const Input& pred) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "RefSwitch", {data, pred},
      OpAttrs());
  RefSwitchOutputs outputs;
  outputs.output_false = OutputOf(here, built, "output_false");
  outputs.output_true = OutputOf(here, built, "output_true");
  outputs.op = built;
  return outputs;
}

SwitchOutputs Switch(ScopeRef scope, const Input& data, const Input& pred) {
  const Scope here = scope.scope();
  const Operation built = BuildOp(
      scope.scope(), "Switch", {data, pred},
      OpAttrs());
  SwitchOutputs outputs;
  outputs.output_false = OutputOf(here, built, "output_false");
  outputs.output_true = OutputOf(here, built, "output_true");
  outputs.op = built;
  return outputs;
}

}  // namespace ops
}  // namespace frontend
}  // namespace warpbeam
