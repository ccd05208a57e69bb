#include "tools/cli/graph_ends.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "tools/cli/graph_summary.h"

namespace warpbeam {
namespace cli {
namespace {

constexpr size_t kMostListed = 10;

void AppendList(const char* title, const std::vector<NodeId>& nodes, const Graph& graph,
                std::string* text) {
  if (nodes.empty()) return;
  std::vector<std::string> lines;
  for (NodeId id : nodes) {
    if (lines.size() == kMostListed) {
      lines.push_back(absl::StrCat("and ", nodes.size() - kMostListed, " more"));
      break;
    }
    const Node& node = graph.node(id);
    lines.push_back(
        absl::StartsWith(node.op_name(), "Placeholder")
            ? Describe(NamedType{node.name(), node.output_type(0), node.output_shape(0)})
            : absl::StrCat(ShownName(node.name()), " (", ShownName(node.op_name()), ")"));
  }
  absl::StrAppend(text, text->empty() ? "" : " ", title, absl::StrJoin(lines, ", "), ".");
}

}  // namespace

std::string GraphEnds(const Graph& graph) {
  std::vector<bool> is_read(graph.num_nodes(), false);
  for (const Node& node : graph.nodes()) {
    for (OutputRef input : node.inputs()) is_read[input.node] = true;
    for (NodeId control : node.control_inputs()) is_read[control] = true;
  }
  std::vector<NodeId> placeholders, fetches, targets;
  for (const Node& node : graph.nodes()) {
    if (absl::StartsWith(node.op_name(), "Placeholder")) {
      placeholders.push_back(node.id());
    } else if (!is_read[node.id()] && node.op_name() != "Const") {
      (node.num_outputs() > 0 ? fetches : targets).push_back(node.id());
    }
  }
  std::string text;
  AppendList("It takes ", placeholders, graph, &text);
  AppendList("What could be fetched: ", fetches, graph, &text);
  AppendList("Targets: ", targets, graph, &text);
  return text.empty() ? "The graph computes nothing that is not read in it." : text;
}

}  // namespace cli
}  // namespace warpbeam
