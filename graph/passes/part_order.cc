#include "graph/passes/part_order.h"

#include <algorithm>
#include <string>

#include "graph/passes/fed_outputs.h"

namespace warpbeam {
namespace {

constexpr uint8_t kElsewhere = 0, kToVisit = 1, kOpen = 2, kDone = 3;

// Depth-first search over the kept nodes, without recursion: chains may be a million nodes long.
class Orderer {
 public:
  Orderer(const Graph& graph, Span<const OutputRef> feeds)
      : graph_(graph), fed_(graph, feeds), state_(graph.num_nodes(), kElsewhere) {}

  StatusOr<std::vector<NodeId>> Run(Span<const NodeId> kept) {
    for (NodeId id : kept) state_[id] = kToVisit;
    std::vector<NodeId> roots(kept.begin(), kept.end());
    if (!std::is_sorted(roots.begin(), roots.end())) std::sort(roots.begin(), roots.end());
    order_.reserve(roots.size());
    for (NodeId id : roots) {
      if (state_[id] == kToVisit) WB_RETURN_IF_ERROR(Visit(id));
    }
    return std::move(order_);
  }

 private:
  struct Frame {
    NodeId node;
    int32_t next;
  };

  Status Visit(NodeId root) {
    stack_.push_back({root, 0});
    state_[root] = kOpen;
    while (!stack_.empty()) {
      const NodeId id = stack_.back().node;
      const NodeId pred = Predecessor(id, stack_.back().next++);
      if (pred == kNoNode) {
        state_[id] = kDone;
        order_.push_back(id);
        stack_.pop_back();
      } else if (pred >= 0 && state_[pred] == kToVisit) {
        state_[pred] = kOpen;
        stack_.push_back({pred, 0});
      } else if (pred >= 0 && state_[pred] == kOpen) {
        return Cycle(pred);
      }
    }
    return OkStatus();
  }

  // The i-th predecessor, kNoNode after the last, -2 for one that is fed or comes from the
  // iteration before.
  NodeId Predecessor(NodeId id, int32_t i) const {
    const Node& node = graph_.node(id);
    if (i < node.num_inputs()) {
      if (fed_.contains(node.input(i))) return -2;
      const NodeId producer = node.input(i).node;
      const bool closes_loop = producer != kNoNode && state_[producer] != kDone &&
                               IsLoopBackEdge(graph_.node(producer), node);
      return closes_loop ? -2 : producer;
    }
    i -= node.num_inputs();
    const auto controls = static_cast<int32_t>(node.control_inputs().size());
    return i < controls ? node.control_inputs()[i] : kNoNode;
  }

  Status Cycle(NodeId from) const {
    std::string names;
    bool in_cycle = false;
    int shown = 0;
    for (const Frame& f : stack_) {
      in_cycle |= f.node == from;
      if (!in_cycle) continue;
      if (++shown <= 8) absl::StrAppend(&names, shown == 1 ? "" : ", ", graph_.node(f.node).name());
    }
    if (shown > 8) absl::StrAppend(&names, " and ", shown - 8, " more");
    return InvalidArgument("the graph has a cycle: ", names);
  }

  const Graph& graph_;
  const FedOutputs fed_;
  std::vector<uint8_t> state_;
  std::vector<Frame> stack_;
  std::vector<NodeId> order_;
};

}  // namespace

StatusOr<std::vector<NodeId>> OrderNodes(const Graph& graph, Span<const NodeId> kept,
                                         Span<const OutputRef> feeds) {
  return Orderer(graph, feeds).Run(kept);
}

}  // namespace warpbeam
