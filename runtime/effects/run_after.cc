#include "runtime/effects/run_after.h"

#include <utility>

namespace warpbeam {
namespace {

// A node that runs when all of `before` have run or are dead.
StatusOr<NodeId> AddTrigger(GraphPart* part, NodeId node, std::vector<NodeId> before) {
  NodeSpec spec;
  spec.op = "ControlTrigger";
  spec.name = part->Edit().UniqueName(absl::StrCat(part->graph->node(node).name(), "/turn"));
  spec.site = part->graph->site(node);
  WB_ASSIGN_OR_RETURN(Node * trigger, part->Edit().AddNode(std::move(spec), {}, std::move(before)));
  part->nodes.push_back(trigger->id());
  return trigger->id();
}

}  // namespace

Status RunAfter(GraphPart* part, NodeId node, std::vector<NodeId> before, bool may_be_dead) {
  if (may_be_dead) {
    WB_ASSIGN_OR_RETURN(const NodeId trigger, AddTrigger(part, node, std::move(before)));
    before = {trigger};
  }
  for (const NodeId b : before) WB_RETURN_IF_ERROR(part->Edit().AddControlInput(node, b));
  return OkStatus();
}

}  // namespace warpbeam
