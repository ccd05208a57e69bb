#include "graph/gradients/control_flow.h"

namespace warpbeam {
namespace {

bool IsAny(const Node& node, std::initializer_list<absl::string_view> ops) {
  for (absl::string_view op : ops) {
    if (node.op_name() == op) return true;
  }
  return false;
}

// Whether a pass of the forward switch had this branch alive is told by its own output: zeros made
// from it are dead with it, and the merge takes what is alive.
absl::Status SwitchGradient(GradContext& c) {
  if (!c.has_dy(0) && !c.has_dy(1)) return absl::OkStatus();
  c.set_dx(0, c.Emit("Merge", {{c.dy(0), c.dy(1)}}));
  return absl::OkStatus();
}

absl::Status MergeGradient(GradContext& c) {
  const OutputRef dy = c.dy(0);
  const OutputRef chosen = c.y(1);
  if (c.num_inputs() == 2) {
    const OutputRef second = c.Emit("Equal", {chosen, c.Scalar<int32_t>(1)});
    const std::vector<OutputRef> parts = c.EmitAll("Switch", {dy, second});
    for (int i = 0; i < static_cast<int>(parts.size()); ++i) c.set_dx(i, parts[i]);
    return absl::OkStatus();
  }
  for (int i = 0; i < c.num_inputs(); ++i) {
    const OutputRef mine = c.Emit("Equal", {chosen, c.Scalar<int32_t>(i)});
    const std::vector<OutputRef> parts = c.EmitAll("Switch", {dy, mine});
    if (parts.size() == 2) c.set_dx(i, parts[1]);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsControlFlow(const Node& node) {
  return IsAny(node, {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit",
                      "RefExit", "NextIteration", "RefNextIteration"});
}

absl::Status ControlFlowGradient(GradContext& context) {
  const Node& node = context.node();
  if (IsAny(node, {"Switch", "RefSwitch"})) return SwitchGradient(context);
  if (IsAny(node, {"Merge", "RefMerge"})) return MergeGradient(context);
  return Unimplemented(
      "gradients of loops made of Enter, Exit and NextIteration are not there yet");
}

absl::Status RefuseLoops(const Graph& graph, const std::vector<char>& between) {
  for (size_t id = 0; id < between.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (!between[id] || !IsAny(node, {"Exit", "RefExit", "NextIteration", "RefNextIteration"})) {
      continue;
    }
    return Unimplemented("gradient of ", DescribeNode(node),
                         ": gradients of loops made of Enter, Exit and NextIteration are not there "
                         "yet; a While op, or stop_gradients at the loop's results, avoids them");
  }
  return absl::OkStatus();
}

}  // namespace warpbeam
