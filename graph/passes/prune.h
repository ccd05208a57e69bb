// Prune: the part of a graph that a run needs.
//
// Walks backwards from fetches and targets over data and control edges, stopping at outputs that
// are fed: their producers run only if something else needs them.
//
//   std::vector<NodeId> kept = Prune(graph, feeds, fetches, targets);   // ascending ids
//
// On the way it sees what the pipeline would otherwise look at every node for again (PartFacts).
//
// Thread safety: a pure function. Errors: none; the ids must be of this graph.
#ifndef WARPBEAM_GRAPH_PASSES_PRUNE_H_
#define WARPBEAM_GRAPH_PASSES_PRUNE_H_

#include <vector>

#include "graph/graph.h"
#include "graph/types/span.h"

namespace warpbeam {

struct PartFacts {
  std::vector<const OpSchema*> ops;  // of the nodes, each once
  bool ids_are_ordered = true;       // producers have lower ids than their consumers
};

// `facts` may be null.
std::vector<NodeId> Prune(const Graph& graph, Span<const OutputRef> feeds,
                          Span<const OutputRef> fetches, Span<const NodeId> targets,
                          PartFacts* facts = nullptr);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_PRUNE_H_
