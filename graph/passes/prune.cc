#include "graph/passes/prune.h"

#include <string>

#include "absl/container/flat_hash_set.h"

namespace warpbeam {

bool IsFedPlaceholder(const Graph& graph, const absl::flat_hash_set<OutputRef>& fed, NodeId id) {
  if (!fed.contains(OutputRef{id, 0})) return false;
  const std::string& op = graph.node(id).op_name();
  return op == "Placeholder" || op == "PlaceholderV2";
}

std::vector<NodeId> Prune(const Graph& graph, absl::Span<const OutputRef> feeds,
                          absl::Span<const OutputRef> fetches, absl::Span<const NodeId> targets) {
  const absl::flat_hash_set<OutputRef> fed(feeds.begin(), feeds.end());
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<NodeId> open;
  const auto reach = [&](NodeId id) {
    if (id == kNoNode || seen[id]) return;
    seen[id] = true;
    open.push_back(id);
  };
  const auto reach_output = [&](OutputRef r) {
    if (fed.empty() || !fed.contains(r)) reach(r.node);
  };
  for (OutputRef f : fetches) reach_output(f);
  for (NodeId t : targets) reach(t);
  while (!open.empty()) {
    const Node& node = graph.node(open.back());
    open.pop_back();
    for (OutputRef in : node.inputs()) reach_output(in);
    for (NodeId c : node.control_inputs()) {
      if (fed.empty() || !IsFedPlaceholder(graph, fed, c)) reach(c);
    }
  }
  std::vector<NodeId> kept;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (seen[id]) kept.push_back(id);
  }
  return kept;
}

}  // namespace warpbeam
