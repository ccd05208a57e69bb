// NarrowNodes: nodes that a gradient has widened (graph/gradients/widen_node.h) become what they
// were, where nothing in the part reads what they were widened for.
//
//   WB_RETURN_IF_ERROR(NarrowNodes(&part));      // before calls are inlined
//
// Thread safety: a pure function of the part. Errors: those of Graph::ReplaceNode.
#ifndef WARPBEAM_GRAPH_PASSES_NARROW_NODES_H_
#define WARPBEAM_GRAPH_PASSES_NARROW_NODES_H_

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

Status NarrowNodes(GraphPart* part);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_NARROW_NODES_H_
