#include "tools/cli/graph_summary.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "graph/io/dtype_io.h"
#include "graph/io/tensor_io.h"
#include "graph/types/shown_name.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace cli {
namespace {

using tensorflow::NodeDef;

bool IsVariable(const std::string& op) {
  return op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
}

NamedType TypeOf(const NodeDef& node) {
  NamedType type;
  type.name = node.name();
  if (const auto name = node.attr().find("shared_name");
      name != node.attr().end() && !name->second.s().empty()) {
    type.name = name->second.s();
  }
  if (const auto dtype = node.attr().find("dtype"); dtype != node.attr().end()) {
    type.dtype = DTypeFromNumber(dtype->second.type()).value_or(DType::kInvalid);
  }
  if (const auto shape = node.attr().find("shape"); shape != node.attr().end()) {
    type.shape = ShapeFromProto(shape->second.shape()).value_or(PartialShape());
  }
  return type;
}

void Count(const NodeDef& node, GraphSummary* summary) {
  ++summary->ops[node.op()];
  ++summary->devices[node.device()];
  if (IsVariable(node.op())) summary->variables.push_back(TypeOf(node));
  if (node.op() != "Const") return;
  const auto value = node.attr().find("value");
  if (value != node.attr().end()) {
    summary->constant_bytes += static_cast<int64_t>(value->second.tensor().ByteSizeLong());
  }
}

// Kinds by how many there are.
std::string CountsText(const std::map<std::string, int64_t>& counts, int rows) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i == static_cast<size_t>(rows)) {
      absl::StrAppend(&text, " and ", sorted.size() - i, " more");
      break;
    }
    absl::StrAppend(&text, i == 0 ? "" : ", ", ShownName(sorted[i].first), " ", sorted[i].second);
  }
  return text;
}

// Whether a node that nothing reads is none that somebody would run: constants, what a variable is
// read by, and what building gradients made beside those that were asked for.
bool IsLeftOver(const NodeDef& node) {
  if (node.op() == "Const") return true;
  if (node.op() == "Identity" && absl::EndsWith(node.name(), "/read")) return true;
  for (const absl::string_view scope : absl::StrSplit(node.name(), '/')) {
    if (absl::StartsWith(scope, "gradients") || absl::EndsWith(scope, "_grad")) return true;
  }
  return false;
}

template <class List, class Format>
void AppendRows(const char* title, const List& list, int rows, const Format& format,
                std::string* text) {
  if (list.empty()) return;
  absl::StrAppend(text, "  ", title, " (", list.size(), ")\n");
  for (size_t i = 0; i < list.size(); ++i) {
    if (i == static_cast<size_t>(rows)) {
      absl::StrAppend(text, "    and ", list.size() - i, " more\n");
      return;
    }
    absl::StrAppend(text, "    ", format(list[i]), "\n");
  }
}

}  // namespace

std::string Bytes(int64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  double size = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  return absl::StrFormat("%.1f %s", size, unit);
}

std::string Describe(const NamedType& type) {
  return absl::StrCat(ShownName(type.name), ": ", DTypeName(type.dtype), " ",
                      type.shape.ToString());
}

GraphSummary SummaryOf(const tensorflow::GraphDef& graph) {
  GraphSummary summary;
  summary.producer = graph.versions().producer();
  summary.nodes = graph.node_size();
  absl::flat_hash_set<absl::string_view> read;
  for (const NodeDef& node : graph.node()) {
    Count(node, &summary);
    if (absl::StartsWith(node.op(), "Placeholder")) summary.placeholders.push_back(TypeOf(node));
    for (const std::string& input : node.input()) {
      absl::string_view name = input;
      if (absl::StartsWith(name, "^")) name.remove_prefix(1);
      read.insert(name.substr(0, name.find(':')));
    }
  }
  for (const NodeDef& node : graph.node()) {
    if (read.contains(node.name())) continue;
    if (IsLeftOver(node)) {
      ++summary.left_over;
    } else {
      summary.ends.push_back(absl::StrCat(ShownName(node.name()), " (", ShownName(node.op()), ")"));
    }
  }
  for (const auto& function : graph.library().function()) {
    ++summary.functions;
    summary.function_nodes += function.node_def_size();
    for (const NodeDef& node : function.node_def()) Count(node, &summary);
  }
  return summary;
}

std::string SummaryText(const GraphSummary& summary, int rows, bool has_signatures) {
  std::string text = absl::StrCat("  nodes      ", summary.nodes);
  if (summary.functions > 0) {
    absl::StrAppend(&text, ", and ", summary.function_nodes, " in ", summary.functions,
                    " functions");
  }
  absl::StrAppend(&text, "\n  constants  ", Bytes(summary.constant_bytes), "\n  ops        ",
                  CountsText(summary.ops, rows), "\n");
  std::map<std::string, int64_t> devices = summary.devices;
  devices.erase("");
  if (!devices.empty()) {
    absl::StrAppend(&text, "  devices    ", CountsText(devices, rows), "\n");
  }
  const auto as_it_is = [](const std::string& name) { return name; };
  AppendRows("variables", summary.variables, rows, Describe, &text);
  if (has_signatures) return text;
  AppendRows("placeholders", summary.placeholders, rows, Describe, &text);
  AppendRows("nodes that nothing reads", summary.ends, rows, as_it_is, &text);
  if (summary.left_over > 0) {
    absl::StrAppend(&text, "  left over from building: ", summary.left_over,
                    " constants, reads of variables and parts of gradients that nothing reads\n");
  }
  return text;
}

}  // namespace cli
}  // namespace warpbeam
