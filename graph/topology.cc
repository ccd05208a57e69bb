// Consumers and TopologicalOrder of graph.h: what is true of a graph's edges as a whole.
#include <algorithm>

#include "graph/graph.h"
#include "graph/node_roles.h"

namespace warpbeam {
namespace {

// Whether the ids themselves are an order: true of most graphs, which are built front to back.
bool IdsAreOrdered(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    for (OutputRef in : node.inputs()) {
      if (in.node >= node.id() && !IsLoopBackEdge(graph.node(in.node), node)) return false;
    }
    for (NodeId in : node.control_inputs()) {
      if (in >= node.id()) return false;
    }
  }
  return true;
}

// Calls f(producer) for every edge into `node` that an order must respect.
template <typename F>
void ForEachProducer(const Graph& graph, const Node& node, F f) {
  const bool merge = IsMerge(node);
  for (OutputRef in : node.inputs()) {
    if (in.node == kNoNode) continue;
    if (merge && IsNextIteration(graph.node(in.node))) continue;
    f(in.node);
  }
  for (NodeId in : node.control_inputs()) f(in);
}

// Follows producers that are not in the order until a node comes again.
Status CycleError(const Graph& graph, const std::vector<int32_t>& pending) {
  NodeId start = 0;
  while (pending[start] == 0) ++start;
  std::vector<int32_t> seen_at(graph.num_nodes(), -1);
  std::vector<NodeId> path;
  NodeId at = start;
  while (seen_at[at] < 0) {
    seen_at[at] = static_cast<int32_t>(path.size());
    path.push_back(at);
    NodeId next = kNoNode;
    ForEachProducer(graph, graph.node(at), [&](NodeId producer) {
      if (next == kNoNode && pending[producer] > 0) next = producer;
    });
    at = next;
  }
  std::vector<NodeId> cycle(path.begin() + seen_at[at], path.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::string names;
  const size_t shown = std::min<size_t>(cycle.size(), 8);
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&names, "'", graph.node(cycle[i]).name(), "' → ");
  }
  if (shown < cycle.size()) absl::StrAppend(&names, "… (", cycle.size(), " nodes) → ");
  return InvalidArgument("the graph has a cycle that is no loop (from NextIteration to Merge): ",
                         names, "'", graph.node(cycle[0]).name(), "'");
}

}  // namespace

bool IsLoopBackEdge(const Node& from, const Node& to) {
  return IsMerge(to) && IsNextIteration(from);
}

Consumers::Consumers(const Graph& graph) : begin_(graph.num_nodes() + 1, 0) {
  // Counts, then places: two passes and no allocation per node.
  for (const Node& node : graph.nodes()) {
    for (OutputRef in : node.inputs()) {
      if (in.node != kNoNode) ++begin_[in.node + 1];
    }
    for (NodeId in : node.control_inputs()) ++begin_[in + 1];
  }
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  uses_.resize(begin_.back());
  std::vector<int32_t> next(begin_.begin(), begin_.end() - 1);
  for (const Node& node : graph.nodes()) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (in.node != kNoNode) uses_[next[in.node]++] = {node.id(), i, in.index};
    }
    for (NodeId in : node.control_inputs()) uses_[next[in]++] = {node.id(), -1, -1};
  }
}

StatusOr<std::vector<NodeId>> TopologicalOrder(const Graph& graph) {
  const int n = graph.num_nodes();
  std::vector<NodeId> order;
  order.reserve(n);
  if (IdsAreOrdered(graph)) {
    for (NodeId id = 0; id < n; ++id) order.push_back(id);
    return order;
  }
  std::vector<int32_t> pending(n, 0);
  for (const Node& node : graph.nodes()) {
    ForEachProducer(graph, node, [&](NodeId) { ++pending[node.id()]; });
    if (pending[node.id()] == 0) order.push_back(node.id());
  }
  const Consumers consumers(graph);
  for (size_t i = 0; i < order.size(); ++i) {
    const Node& from = graph.node(order[i]);
    const bool next_iteration = IsNextIteration(from);
    for (const Consumers::Use& use : consumers.of(from.id())) {
      if (next_iteration && use.input >= 0 && IsMerge(graph.node(use.node))) continue;
      if (--pending[use.node] == 0) order.push_back(use.node);
    }
  }
  if (static_cast<int>(order.size()) < n) return CycleError(graph, pending);
  return order;
}

}  // namespace warpbeam
