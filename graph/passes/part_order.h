// A part of a graph in a topological order.
//
//   WB_ASSIGN_OR_RETURN(std::vector<NodeId> order, OrderNodes(graph, kept, feeds));
//
// Producers come before consumers, otherwise nodes come by id; fed outputs and the back edges of v1
// loops order nothing. Thread safety: a pure function. Errors: INVALID_ARGUMENT naming the nodes of
// a cycle.
#ifndef WARPBEAM_GRAPH_PASSES_PART_ORDER_H_
#define WARPBEAM_GRAPH_PASSES_PART_ORDER_H_

#include <vector>

#include "graph/graph.h"
#include "graph/types/span.h"

namespace warpbeam {

StatusOr<std::vector<NodeId>> OrderNodes(const Graph& graph, Span<const NodeId> kept,
                                         Span<const OutputRef> feeds);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_PART_ORDER_H_
