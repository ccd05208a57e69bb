// FedOutputs: which outputs of a graph's nodes a run feeds.
//
//   const FedOutputs fed(graph, part->feeds);
//   if (fed.contains(input)) …            // its producer is not asked
//
// Passes ask this of every input of every node: a bit of the node answers nearly always.
// Thread safety: const access from many threads.
#ifndef WARPBEAM_GRAPH_PASSES_FED_OUTPUTS_H_
#define WARPBEAM_GRAPH_PASSES_FED_OUTPUTS_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "graph/types/span.h"

namespace warpbeam {

class FedOutputs {
 public:
  // The feeds are outputs of nodes of `graph`.
  FedOutputs(const Graph& graph, Span<const OutputRef> feeds)
      : graph_(graph), outputs_(feeds.begin(), feeds.end()), nodes_(graph.num_nodes(), false) {
    for (const OutputRef feed : feeds) nodes_[feed.node] = true;
  }
  FedOutputs(const FedOutputs&) = delete;
  FedOutputs& operator=(const FedOutputs&) = delete;

  // False for no output, and for those of nodes that the graph got since.
  bool contains(OutputRef output) const {
    return output.node >= 0 && output.node < static_cast<NodeId>(nodes_.size()) &&
           nodes_[output.node] && outputs_.contains(output);
  }
  // Whether waiting for the node asks for nothing but its feed: it is a placeholder that is fed.
  bool IsPlaceholder(NodeId id) const {
    if (!contains(OutputRef{id, 0})) return false;
    const std::string& op = graph_.node(id).op_name();
    return op == "Placeholder" || op == "PlaceholderV2";
  }

 private:
  const Graph& graph_;
  const absl::flat_hash_set<OutputRef> outputs_;
  std::vector<bool> nodes_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_FED_OUTPUTS_H_
