#include "tests/conformance/scatter.h"

#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// Sets of nodes that stay together.
class Bonds {
 public:
  explicit Bonds(int nodes) : parent_(static_cast<size_t>(nodes)) {
    for (size_t i = 0; i < parent_.size(); ++i) parent_[i] = static_cast<NodeId>(i);
  }
  NodeId Root(NodeId node) {
    while (parent_[static_cast<size_t>(node)] != node) {
      NodeId& parent = parent_[static_cast<size_t>(node)];
      node = parent = parent_[static_cast<size_t>(parent)];
    }
    return node;
  }
  void Join(NodeId a, NodeId b) { parent_[static_cast<size_t>(Root(a))] = Root(b); }

 private:
  std::vector<NodeId> parent_;
};

bool StaysInTask(DType type) {
  const DType base = BaseType(type);
  return IsRef(type) || base == DType::kResource || base == DType::kVariant;
}

// Whoever reads a reference's value, be it through views, sees what it is when it is read. Where it
// is read from another task, that is when it is sent.
void JoinReaders(const Graph& graph, Bonds* bonds) {
  std::vector<bool> is_view(static_cast<size_t>(graph.num_nodes()), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : graph.nodes()) {
      const OpSchema& op = node.op();
      for (const OutputRef in : node.inputs()) {
        if (in.node == kNoNode) continue;
        const bool reads = IsRef(graph.node(in.node).output_type(in.index)) ||
                           is_view[static_cast<size_t>(in.node)];
        if (!reads) continue;
        bonds->Join(node.id(), in.node);
        const bool hands_on = op.passes_on != PassOn::kNothing || IsControlFlow(op.role);
        if (!hands_on || is_view[static_cast<size_t>(node.id())]) continue;
        is_view[static_cast<size_t>(node.id())] = changed = true;
      }
    }
  }
}

// State that nodes find by its name, and stages, which have no handles.
void JoinByName(const Graph& graph, Bonds* bonds) {
  absl::flat_hash_map<std::string, NodeId> first;
  for (const Node& node : graph.nodes()) {
    std::string name = node.attrs().GetOr<std::string>("shared_name", "");
    if (node.op().chance == Chance::kOtherSteps) name = "(stages)";
    if (name.empty()) continue;
    bonds->Join(node.id(), first.try_emplace(name, node.id()).first->second);
  }
}

void JoinBound(const Graph& graph, Bonds* bonds) {
  JoinReaders(graph, bonds);
  JoinByName(graph, bonds);
  for (const Node& node : graph.nodes()) {
    for (const OutputRef in : node.inputs()) {
      if (in.node == kNoNode) continue;
      if (StaysInTask(graph.node(in.node).output_type(in.index))) bonds->Join(node.id(), in.node);
    }
    for (const std::string& group : node.attrs().GetOr<std::vector<std::string>>("_class", {})) {
      if (!absl::StartsWith(group, "loc:@")) continue;
      const Node* const other = graph.Find(group.substr(5));
      if (other != nullptr) bonds->Join(node.id(), other->id());
    }
  }
}

}  // namespace

void ScatterOverTasks(int tasks, uint64_t seed, Graph* graph) {
  Bonds bonds(graph->num_nodes());
  JoinBound(*graph, &bonds);
  std::mt19937_64 random(seed);
  std::vector<int> task_of(static_cast<size_t>(graph->num_nodes()));
  for (int& task : task_of) task = static_cast<int>(random() % static_cast<uint64_t>(tasks));
  for (NodeId id = 0; id < graph->num_nodes(); ++id) {
    const int task = task_of[static_cast<size_t>(bonds.Root(id))];
    const std::string asked = graph->node(id).device();
    const size_t type = asked.find("/device:");
    const std::string device = absl::StartsWith(asked, "/job:")
                                   ? (type == std::string::npos ? "" : asked.substr(type))
                                   : asked;
    graph->SetDevice(id, absl::StrCat("/job:localhost/replica:0/task:", task, device));
  }
}

}  // namespace warpbeam
