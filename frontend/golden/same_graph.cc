#include "frontend/golden/same_graph.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/graph.h"

namespace warpbeam {
namespace frontend {
namespace {

using NodeTexts = std::map<std::string, std::string>;  // by name

NodeTexts ReadPythonGraph(const std::string& name) {
  std::ifstream file("frontend/golden/python_graphs.tsv");
  NodeTexts nodes;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line[0] == '#') {
      inside = line == "# " + name;
    } else if (inside) {
      nodes[line.substr(0, line.find('\t'))] = line;
    }
  }
  return nodes;
}

std::string InputText(const Graph& graph, OutputRef in) {
  const std::string& name = graph.node(in.node).name();
  return in.index == 0 ? name : absl::StrCat(name, ":", in.index);
}

std::string NodeText(const Graph& graph, const Node& node) {
  std::vector<std::string> inputs, control;
  for (OutputRef in : node.inputs()) inputs.push_back(InputText(graph, in));
  for (NodeId in : node.control_inputs()) control.push_back("^" + graph.node(in).name());
  std::sort(control.begin(), control.end());
  inputs.insert(inputs.end(), control.begin(), control.end());
  auto groups = node.attrs().GetOr<std::vector<std::string>>("_class", {});
  std::sort(groups.begin(), groups.end());
  return absl::StrJoin({node.name(), node.op_name(), node.device(), absl::StrJoin(inputs, " "),
                        absl::StrJoin(groups, " ")},
                       "\t");
}

}  // namespace

std::string DifferencesFromPython(const Scope& scope, const std::string& name,
                                  const std::function<bool(const std::string& node)>& left_out) {
  const NodeTexts expected = ReadPythonGraph(name);
  if (expected.empty()) return absl::StrCat("python_graphs.tsv has no graph '", name, "'");
  return DifferencesFromNodes(scope, expected, left_out);
}

std::string DifferencesFromNodes(const Scope& scope, const NodeTexts& expected,
                                 const std::function<bool(const std::string& node)>& left_out) {
  if (!scope.ok()) return scope.status().ToString();
  const auto skip = [&](const std::string& node) { return left_out && left_out(node); };
  std::string differences;
  std::set<std::string> made;
  for (const Node& node : scope.graph()->nodes()) {
    made.insert(node.name());
    if (skip(node.name())) continue;
    const std::string ours = NodeText(*scope.graph(), node);
    const auto found = expected.find(node.name());
    if (found == expected.end()) {
      absl::StrAppend(&differences, "not in Python's graph: ", ours, "\n");
    } else if (found->second != ours) {
      absl::StrAppend(&differences, "ours:   ", ours, "\ntheirs: ", found->second, "\n");
    }
  }
  for (const auto& entry : expected) {
    if (made.count(entry.first) > 0 || skip(entry.first)) continue;
    absl::StrAppend(&differences, "missing: ", entry.second, "\n");
  }
  return differences;
}

}  // namespace frontend
}  // namespace warpbeam
