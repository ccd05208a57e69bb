#include "runtime/trace/run_graphs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace warpbeam {
namespace {

// Copies of one tensor differ by their destination.
std::string NameOf(const NodeStats& n) {
  if (!n.is_copy) return std::string(n.node);
  return absl::StrCat(n.node, "/_copy_to_", n.copy_to.empty() ? "host" : n.copy_to);
}

}  // namespace

CostGraph CostGraphOf(const Graph& graph, const StepStats& stats) {
  CostGraph cost;
  std::map<std::string, int32_t> ids;
  std::vector<int32_t> id_of(stats.nodes.size());
  for (size_t i = 0; i < stats.nodes.size(); ++i) {
    const NodeStats& n = stats.nodes[i];
    auto [it, is_new] = ids.emplace(NameOf(n), static_cast<int32_t>(cost.nodes.size()));
    id_of[i] = it->second;
    if (is_new) {
      CostNode node;
      node.name = it->first;
      node.device = std::string(n.device);
      node.id = it->second;
      node.outputs.assign(n.outputs.begin(), n.outputs.end());
      node.is_final = true;
      cost.nodes.push_back(std::move(node));
    }
    cost.nodes[it->second].cost_us += (n.end_ns - n.start_ns + 500) / 1000;
  }
  std::set<std::pair<int32_t, int32_t>> edges;
  for (size_t i = 0; i < stats.nodes.size(); ++i) {
    const NodeStats& n = stats.nodes[i];
    CostNode& node = cost.nodes[id_of[i]];
    const Node* in_graph = n.is_copy ? nullptr : graph.Find(n.node);
    for (int32_t p : n.predecessors) {
      if (!edges.emplace(id_of[p], node.id).second) continue;
      cost.nodes[id_of[p]].is_final = false;
      const NodeStats& from = stats.nodes[p];
      int output = n.is_copy || from.is_copy ? 0 : -1;
      for (int k = 0; in_graph != nullptr && k < in_graph->num_inputs() && output < 0; ++k) {
        if (graph.node(in_graph->input(k).node).name() == from.node) {
          output = in_graph->input(k).index;
        }
      }
      if (output >= 0) {
        node.inputs.push_back({id_of[p], output});
      } else {
        node.control_inputs.push_back(id_of[p]);
      }
    }
  }
  return cost;
}

}  // namespace warpbeam
