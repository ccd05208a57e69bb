// Prune: the part of a graph that a run needs.
//
// Walks backwards from fetches and targets over data and control edges, stopping at outputs that
// are fed: their producers run only if something else needs them.
//
//   std::vector<NodeId> kept = Prune(graph, feeds, fetches, targets);   // ascending ids
//
// Thread safety: a pure function. Errors: none; the ids must be of this graph.
#ifndef WARPBEAM_GRAPH_PASSES_PRUNE_H_
#define WARPBEAM_GRAPH_PASSES_PRUNE_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "graph/graph.h"

namespace warpbeam {

// Whether waiting for the node asks for nothing but its feed: it is a placeholder that is fed.
bool IsFedPlaceholder(const Graph& graph, const absl::flat_hash_set<OutputRef>& fed, NodeId id);

std::vector<NodeId> Prune(const Graph& graph, absl::Span<const OutputRef> feeds,
                          absl::Span<const OutputRef> fetches, absl::Span<const NodeId> targets);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_PRUNE_H_
