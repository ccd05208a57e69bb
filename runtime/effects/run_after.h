// RunAfter: an order that a pass gives to nodes that no edge orders.
//
//   WB_RETURN_IF_ERROR(RunAfter(&part, node, {before}, /*may_be_dead=*/false));
//
// Where `before` may be dead, a ControlTrigger stands between, which runs whatever is dead, so that
// the node lives as it did. All of the nodes must be in one frame.
//
// Thread safety: one thread. Errors: those of adding nodes and edges.
#ifndef WARPBEAM_RUNTIME_EFFECTS_RUN_AFTER_H_
#define WARPBEAM_RUNTIME_EFFECTS_RUN_AFTER_H_

#include <vector>

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status RunAfter(GraphPart* part, NodeId node, std::vector<NodeId> before, bool may_be_dead);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_RUN_AFTER_H_
