// WidenNode: gives a node further inputs and outputs behind those that it has, in place, so that
// what it computes for its gradient comes out of the one node that runs.
//
// Plans that were compiled before keep the node as it was. The attribute `_unwidened` keeps what
// the node was (a function reference with the op's name and its attributes), so that a plan that
// reads none of the new outputs runs the node without them (graph/passes/narrow_nodes.h).
//
//   WiderNode wider;
//   wider.types.Set("Tout", types);  wider.functions.Set("f", FunctionRef{"f_keep", {}});
//   WB_RETURN_IF_ERROR(WidenNode(graph, call, std::move(wider)));
//
// Thread safety: that of the graph. Errors: INVALID_ARGUMENT for attributes that do not leave the
// node's arguments as they are.
#ifndef WARPBEAM_GRAPH_GRADIENTS_WIDEN_NODE_H_
#define WARPBEAM_GRAPH_GRADIENTS_WIDEN_NODE_H_

#include <vector>

#include "graph/graph.h"

namespace warpbeam {

struct WiderNode {
  AttrMap types;                  // attributes that say how many arguments there are
  std::vector<OutputRef> inputs;  // the new ones
  AttrMap functions;              // the functions that it calls from now on
};

Status WidenNode(Graph& graph, NodeId node, const WiderNode& wider);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_WIDEN_NODE_H_
