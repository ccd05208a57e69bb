#include "graph/passes/components.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr int32_t kAbsent = -1;   // no node of the part
constexpr int32_t kWaiting = -2;  // of the part, no component yet

}  // namespace

// Tarjan's algorithm (1972) along the edges to predecessors, so that a component is complete after
// all that lead to it. The stack of the search is a vector: chains may be a million nodes long.
class Components::Search {
 public:
  explicit Search(Components* out)
      : out_(*out), number_(out->component_of_.size(), 0), lowest_(out->component_of_.size(), 0) {}

  void From(NodeId root) {
    if (number_[root] != 0) return;
    Open(root);
    while (!path_.empty()) {
      const NodeId id = path_.back().node;
      const NodeId before = out_.Predecessor(id, path_.back().next++);
      if (before == kNoNode) {
        Close(id);
      } else if (before < 0 || out_.component_of_[before] != kWaiting) {
        continue;
      } else if (number_[before] == 0) {
        Open(before);
      } else {
        lowest_[id] = std::min(lowest_[id], number_[before]);
      }
    }
  }

 private:
  struct Step {
    NodeId node;
    int32_t next;
  };

  void Open(NodeId id) {
    number_[id] = lowest_[id] = ++count_;
    path_.push_back({id, 0});
    open_.push_back(id);
  }

  void Close(NodeId id) {
    path_.pop_back();
    if (!path_.empty()) {
      int32_t& above = lowest_[path_.back().node];
      above = std::min(above, lowest_[id]);
    }
    if (lowest_[id] != number_[id]) return;
    const int32_t component = out_.size();
    const size_t begin = out_.order_.size();
    NodeId member;
    do {
      member = open_.back();
      open_.pop_back();
      out_.component_of_[member] = component;
      out_.order_.push_back(member);
    } while (member != id);
    out_.is_cyclic_.push_back(out_.order_.size() - begin > 1);
  }

  Components& out_;
  int32_t count_ = 0;
  std::vector<int32_t> number_;  // by node: when the search came to it, from 1
  std::vector<int32_t> lowest_;  // by node: the earliest open node that it is known to reach
  std::vector<Step> path_;
  std::vector<NodeId> open_;  // without a component yet, in the order of their numbers
};

Components::Components(const Graph& graph, Span<const NodeId> nodes, const FedOutputs& fed)
    : graph_(graph), fed_(fed), component_of_(graph.num_nodes(), kAbsent) {
  for (const NodeId id : nodes) component_of_[id] = kWaiting;
  order_.reserve(nodes.size());
  Search search(this);
  for (const NodeId id : nodes) search.From(id);
}

NodeId Components::Predecessor(NodeId id, int32_t i) const {
  constexpr NodeId kNotOfThePart = -2;
  const Node& node = graph_.node(id);
  NodeId before;
  if (i < node.num_inputs()) {
    if (fed_.contains(node.input(i))) return kNotOfThePart;
    before = node.input(i).node;
  } else {
    i -= node.num_inputs();
    if (i >= static_cast<int32_t>(node.control_inputs().size())) return kNoNode;
    before = node.control_inputs()[i];
  }
  return before < 0 || component_of_[before] == kAbsent ? kNotOfThePart : before;
}

void Components::ForPredecessors(NodeId id, absl::FunctionRef<void(NodeId)> fn) const {
  for (int32_t i = 0;; ++i) {
    const NodeId before = Predecessor(id, i);
    if (before == kNoNode) return;
    if (before >= 0) fn(before);
  }
}

}  // namespace warpbeam
