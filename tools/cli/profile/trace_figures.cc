#include "tools/cli/profile/trace_figures.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/strings/match.h"

namespace warpbeam {
namespace cli {
namespace {

// Ops that look at the shapes of their inputs, or pass them on untouched.
bool ReadsNothing(absl::string_view op) {
  static const std::set<absl::string_view> kOps = {
      "Const",
      "ConstantV2",
      "ExpandDims",
      "Identity",
      "IdentityN",
      "NoOp",
      "Placeholder",
      "PlaceholderWithDefault",
      "PreventGradient",
      "Rank",
      "ReadVariableOp",
      "RefIdentity",
      "RefSwitch",
      "Reshape",
      "Shape",
      "ShapeN",
      "Size",
      "Squeeze",
      "StopGradient",
      "Switch",
      "VarHandleOp",
      "Variable",
      "VariableV2",
      "BroadcastGradientArgs",
      "ControlTrigger",
      "Merge",
      "RefMerge",
      "IsVariableInitialized",
      "VarIsInitializedOp",
      "IteratorV2",
      "IteratorGetNext",
  };
  return kOps.count(op) > 0;
}

// Nodes that are in no graph: arguments, results and copies.
bool IsInternal(const NodeStats& node) {
  static const std::set<absl::string_view> kOps = {"_Arg", "_Retval", "_Copy", "_Send", "_Recv"};
  return kOps.count(node.op) > 0 || absl::StrContains(node.device, "->");
}

// A kernel's span, and the share of it that its thread had a core.
struct Interval {
  double start, end, share;
  int core;
};

// The CPU time of `span` during which one of `others` had CPU time on another core.
double SharedTime(const Interval& span, const std::vector<Interval>& others) {
  double shared = 0;
  for (const Interval& other : others) {
    if (other.core == span.core) continue;
    const double overlap = std::min(span.end, other.end) - std::max(span.start, other.start);
    if (overlap > 0) shared += overlap * std::min(span.share, other.share);
  }
  return std::min(shared, (span.end - span.start) * span.share);
}

double DeviceOverlap(const StepStats& stats) {
  std::map<absl::string_view, std::vector<Interval>> spans;
  std::map<absl::string_view, double> cpu;
  for (const NodeStats& node : stats.nodes) {
    if (IsInternal(node) || node.end_ns <= node.start_ns) continue;
    const auto length = static_cast<double>(node.end_ns - node.start_ns);
    const double share = std::min(1.0, static_cast<double>(node.cpu_ns) / length);
    spans[node.device].push_back(
        {static_cast<double>(node.start_ns), static_cast<double>(node.end_ns), share, node.core});
    cpu[node.device] += length * share;
  }
  if (spans.size() < 2) return 0;
  const auto idlest = std::min_element(
      cpu.begin(), cpu.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<Interval> others;
  for (const auto& [device, list] : spans) {
    if (device != idlest->first) others.insert(others.end(), list.begin(), list.end());
  }
  double shared = 0;
  for (const Interval& span : spans[idlest->first]) shared += SharedTime(span, others);
  return idlest->second > 0 ? 100 * shared / idlest->second : 0;
}

}  // namespace

TraceFigures FiguresOf(const StepStats& stats) {
  TraceFigures figures;
  for (const NodeStats& node : stats.nodes) {
    if (IsInternal(node)) continue;
    ++figures.executed[std::string(node.op)];
    ++figures.nodes_executed;
    if (!ReadsNothing(node.op)) figures.bytes_read += node.input_bytes;
    if (node.op == "IteratorGetNext") {
      figures.input_wait_us += static_cast<double>(node.end_ns - node.start_ns) * 1e-3;
    }
  }
  figures.device_overlap = DeviceOverlap(stats);
  return figures;
}

}  // namespace cli
}  // namespace warpbeam
