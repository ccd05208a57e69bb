#include "graph/passes/prune.h"

#include "absl/container/flat_hash_set.h"
#include "graph/passes/fed_outputs.h"

namespace warpbeam {

std::vector<NodeId> Prune(const Graph& graph, Span<const OutputRef> feeds,
                          Span<const OutputRef> fetches, Span<const NodeId> targets,
                          PartFacts* facts) {
  const FedOutputs fed(graph, feeds);
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<NodeId> open;
  size_t count = 0;
  absl::flat_hash_set<const OpSchema*> seen_ops;
  const OpSchema* last_op = nullptr;
  bool ids_are_ordered = true;
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
    ++count;
    if (&node.op() != last_op) {
      last_op = &node.op();
      seen_ops.insert(last_op);
    }
    for (OutputRef in : node.inputs()) {
      ids_are_ordered &= in.node < node.id();
      reach_output(in);
    }
    for (NodeId c : node.control_inputs()) {
      ids_are_ordered &= c < node.id();
      if (!fed.IsPlaceholder(c)) reach(c);
    }
  }
  if (facts != nullptr) {
    facts->ops.assign(seen_ops.begin(), seen_ops.end());
    facts->ids_are_ordered = ids_are_ordered;
  }
  std::vector<NodeId> kept;
  kept.reserve(count);
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (seen[id]) kept.push_back(id);
  }
  return kept;
}

}  // namespace warpbeam
