// Gradients of Switch and Merge, in loops and outside of them (loops: loop_gradient.h).
//
// The gradient of a Merge sends what arrives to the branch that was alive; that of a Switch merges
// what the two branches send back. Both work on any graph, with or without a record of the cond
// that made it.
//
// Thread safety: that of the graph. Errors: INVALID_ARGUMENT for a Merge that belongs to a loop.
#ifndef WARPBEAM_GRAPH_GRADIENTS_CONTROL_FLOW_H_
#define WARPBEAM_GRAPH_GRADIENTS_CONTROL_FLOW_H_

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

// Whether the node is handled here rather than by the registry.
bool IsBranchOp(const Node& node);
Status BranchGradient(GradContext& context);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_CONTROL_FLOW_H_
