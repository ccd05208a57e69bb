#include "graph/passes/prune.h"

#include "graph/passes/fed_outputs.h"

namespace warpbeam {

std::vector<NodeId> Prune(const Graph& graph, absl::Span<const OutputRef> feeds,
                          absl::Span<const OutputRef> fetches, absl::Span<const NodeId> targets) {
  const FedOutputs fed(graph, feeds);
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<NodeId> open;
  const auto reach = [&](NodeId id) {
    if (id == kNoNode || seen[id]) return;
    seen[id] = true;
    open.push_back(id);
  };
  const auto reach_output = [&](OutputRef r) {
    if (!fed.contains(r)) reach(r.node);
  };
  for (OutputRef f : fetches) reach_output(f);
  for (NodeId t : targets) reach(t);
  while (!open.empty()) {
    const Node& node = graph.node(open.back());
    open.pop_back();
    for (OutputRef in : node.inputs()) reach_output(in);
    for (NodeId c : node.control_inputs()) {
      if (!fed.IsPlaceholder(c)) reach(c);
    }
  }
  std::vector<NodeId> kept;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (seen[id]) kept.push_back(id);
  }
  return kept;
}

}  // namespace warpbeam
