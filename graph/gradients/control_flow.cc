#include "graph/gradients/control_flow.h"

#include "graph/gradients/loop_structure.h"
#include "graph/node_roles.h"

namespace warpbeam {
namespace {

// Whether a pass of the forward switch had this branch alive is told by its own output: zeros made
// from it are dead with it, and the merge takes what is alive.
Status SwitchGradient(GradContext& c) {
  if (!c.has_dy(0) && !c.has_dy(1)) return OkStatus();
  c.set_dx(0, c.Emit("Merge", {{c.dy(0), c.dy(1)}}));
  return OkStatus();
}

Status MergeGradient(GradContext& c) {
  const OutputRef dy = c.dy(0);
  const OutputRef chosen = c.y(1);
  if (c.num_inputs() == 2) {
    const OutputRef second = c.Emit("Equal", {chosen, c.Scalar<int32_t>(1)});
    const std::vector<OutputRef> parts = c.EmitAll("Switch", {dy, second});
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) c.set_dx(i, parts[i]);
    return OkStatus();
  }
  for (int i = 0; i < c.num_inputs(); ++i) {
    const OutputRef mine = c.Emit("Equal", {chosen, c.Scalar<int32_t>(i)});
    const std::vector<OutputRef> parts = c.EmitAll("Switch", {dy, mine});
    if (parts.size() == 2) c.set_dx(i, parts[1]);
  }
  return OkStatus();
}

}  // namespace

bool IsBranchOp(const Node& node) { return IsSwitch(node) || IsMerge(node); }

Status BranchGradient(GradContext& context) {
  const Node& node = context.node();
  if (IsSwitch(node)) return SwitchGradient(context);
  if (IsLoopMerge(context.graph(), node)) {
    return InvalidArgument(
        "a value is made of a loop variable before its Switch; such a loop cannot be "
        "differentiated");
  }
  return MergeGradient(context);
}

}  // namespace warpbeam
