#include "runtime/executor/plan_order.h"

#include <algorithm>

namespace warpbeam {
namespace {

constexpr uint8_t kAbsent = 0, kWaiting = 1, kOpen = 2, kDone = 3;

// Depth-first search over the kept nodes, without recursion: chains may be a million nodes long.
class Orderer {
 public:
  Orderer(const Graph& graph, const absl::flat_hash_set<OutputRef>& feeds,
          const AverageIndex& averages)
      : graph_(graph), feeds_(feeds), averages_(averages), state_(graph.num_nodes(), kAbsent) {}

  absl::StatusOr<std::vector<NodeId>> Run(const std::vector<NodeId>& kept) {
    for (NodeId id : kept) state_[id] = kWaiting;
    for (const auto& [result, match] : averages_) {
      for (NodeId id : match->replaced) state_[id] = kAbsent;
    }
    std::vector<NodeId> roots = kept;
    std::sort(roots.begin(), roots.end());
    order_.reserve(roots.size());
    for (NodeId id : roots) {
      if (state_[id] == kWaiting) WB_RETURN_IF_ERROR(Visit(id));
    }
    return std::move(order_);
  }

 private:
  struct Frame {
    NodeId node;
    int32_t next;
  };

  absl::Status Visit(NodeId root) {
    stack_.push_back({root, 0});
    state_[root] = kOpen;
    while (!stack_.empty()) {
      const NodeId id = stack_.back().node;
      const NodeId pred = Predecessor(id, stack_.back().next++);
      if (pred == kNoNode) {
        state_[id] = kDone;
        order_.push_back(id);
        stack_.pop_back();
      } else if (pred >= 0 && state_[pred] == kWaiting) {
        state_[pred] = kOpen;
        stack_.push_back({pred, 0});
      } else if (pred >= 0 && state_[pred] == kOpen) {
        return Cycle(pred);
      }
    }
    return absl::OkStatus();
  }

  // The i-th predecessor, kNoNode after the last, -2 for one that is fed or comes from the
  // iteration before.
  NodeId Predecessor(NodeId id, int32_t i) const {
    const Node& node = graph_.node(id);
    auto average = averages_.find(id);
    const auto& inputs = average == averages_.end() ? node.inputs() : average->second->inputs;
    if (i < static_cast<int32_t>(inputs.size())) {
      if (!feeds_.empty() && feeds_.contains(inputs[i])) return -2;
      const NodeId producer = inputs[i].node;
      const bool closes_loop = producer != kNoNode && state_[producer] != kDone &&
                               average == averages_.end() &&
                               IsLoopBackEdge(graph_.node(producer), node);
      return closes_loop ? -2 : producer;
    }
    i -= static_cast<int32_t>(inputs.size());
    if (i < static_cast<int32_t>(node.control_inputs().size())) return node.control_inputs()[i];
    i -= static_cast<int32_t>(node.control_inputs().size());
    if (average == averages_.end()) return kNoNode;
    const auto& more = average->second->control_inputs;
    return i < static_cast<int32_t>(more.size()) ? more[i] : kNoNode;
  }

  absl::Status Cycle(NodeId from) const {
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
  const absl::flat_hash_set<OutputRef>& feeds_;
  const AverageIndex& averages_;
  std::vector<uint8_t> state_;
  std::vector<Frame> stack_;
  std::vector<NodeId> order_;
};

// Kernels whose work is not in proportion to the elements they touch.
bool IsProduct(const std::string& op) {
  return op == "MatMul" || op.rfind("BatchMatMul", 0) == 0 || op.rfind("Conv", 0) == 0;
}

}  // namespace

absl::StatusOr<std::vector<NodeId>> OrderNodes(const Graph& graph, const std::vector<NodeId>& kept,
                                               const absl::flat_hash_set<OutputRef>& feeds,
                                               const AverageIndex& averages) {
  return Orderer(graph, feeds, averages).Run(kept);
}

int64_t EstimateCostNs(const Graph& graph, const Node& node) {
  constexpr int64_t kUnknown = 1'000'000;
  int64_t elements = 0;
  int64_t first = 1;
  const auto add = [&](const Node& n, int output) {
    const int64_t count = n.output_shape(output).num_elements();
    if (count < 0) return false;
    elements += count;
    first = std::max(first, count);
    return true;
  };
  for (OutputRef in : node.inputs()) {
    if (in.node == kNoNode || !add(graph.node(in.node), in.index)) return kUnknown;
  }
  for (int o = 0; o < node.num_outputs(); ++o) {
    if (!add(node, o)) return kUnknown;
  }
  // A product's operations per element of its largest operand are bounded by the other's extents.
  if (IsProduct(node.op_name())) return 20 * elements;
  return 20 + elements;
}

int64_t CostPerElementNs(const std::string& op) { return IsProduct(op) ? 20 : 1; }

}  // namespace warpbeam
