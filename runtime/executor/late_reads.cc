#include "runtime/executor/late_reads.h"

namespace warpbeam {
namespace {

bool IsReference(const Graph& graph, OutputRef r) {
  return IsRef(graph.node(r.node).output_type(r.index));
}

// The node that made the reference: updates hand it on from their first input.
NodeId Owner(const Graph& graph, OutputRef ref) {
  for (;;) {
    const Node& node = graph.node(ref.node);
    if (node.inputs().empty() || !IsReference(graph, node.input(0))) return ref.node;
    ref = node.input(0);
  }
}

bool TakesReference(const Graph& graph, const Node& node) {
  return !node.inputs().empty() && IsRef(node.input_type(0)) && IsReference(graph, node.input(0));
}

}  // namespace

LateReads::ByVariable LateReads::FindAccesses(const Graph& graph,
                                              const std::vector<NodeId>& order) {
  ByVariable accesses;
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    if (TakesReference(graph, node)) {
      accesses[Owner(graph, node.input(0))].updates.push_back(id);
    } else if (node.op_name() == "Identity" && IsReference(graph, node.input(0))) {
      accesses[Owner(graph, node.input(0))].reads.push_back(id);
    }
  }
  for (auto it = accesses.begin(); it != accesses.end();) {
    if (it->second.reads.empty() || it->second.updates.empty()) {
      accesses.erase(it++);
    } else {
      ++it;
    }
  }
  return accesses;
}

LateReads::LateReads(const Graph& graph, const std::vector<NodeId>& order) {
  const ByVariable accesses = FindAccesses(graph, order);
  if (accesses.empty()) return;
  const Consumers consumers(graph);
  std::vector<bool> in_plan(static_cast<size_t>(graph.num_nodes()), false);
  for (NodeId id : order) in_plan[static_cast<size_t>(id)] = true;
  // The mark of the last search that came by: nothing is cleared in between.
  std::vector<int32_t> reached(static_cast<size_t>(graph.num_nodes()), -1);
  std::vector<NodeId> todo;
  int32_t search = 0;
  int64_t visits = 0;
  for (NodeId variable : order) {
    auto found = accesses.find(variable);
    if (found == accesses.end()) continue;
    for (NodeId update : found->second.updates) {
      ++search;
      todo.assign(1, update);
      while (!todo.empty() && visits < kMaxVisits) {
        const NodeId from = todo.back();
        todo.pop_back();
        for (const Consumers::Use& use : consumers.of(from)) {
          ++visits;
          int32_t& mark = reached[static_cast<size_t>(use.node)];
          if (mark == search || !in_plan[static_cast<size_t>(use.node)]) continue;
          mark = search;
          todo.push_back(use.node);
        }
      }
      for (NodeId read : found->second.reads) {
        if (reached[static_cast<size_t>(read)] == search) continue;
        for (const Consumers::Use& use : consumers.of(read)) {
          if (use.input < 0 || reached[static_cast<size_t>(use.node)] != search) continue;
          late_.insert({use.node, read});
        }
      }
    }
  }
}

}  // namespace warpbeam
