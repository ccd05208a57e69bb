// Gradients of v1 control flow: Switch and Merge outside loops.
//
// The gradient of a Merge sends what arrives to the branch that was alive; that of a Switch merges
// what the two branches send back. Both work on any graph, with or without a record of the cond
// that made it.
//
// Thread safety: that of the graph. Errors: UNIMPLEMENTED for loops.
#ifndef WARPBEAM_GRAPH_GRADIENTS_CONTROL_FLOW_H_
#define WARPBEAM_GRAPH_GRADIENTS_CONTROL_FLOW_H_

#include <vector>

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

// Whether the node is handled here rather than by the registry.
bool IsControlFlow(const Node& node);
absl::Status ControlFlowGradient(GradContext& context);

// UNIMPLEMENTED when the walk over the marked nodes would pass through a loop.
absl::Status RefuseLoops(const Graph& graph, const std::vector<char>& between);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_CONTROL_FLOW_H_
