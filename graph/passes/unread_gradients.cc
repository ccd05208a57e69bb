#include "graph/passes/unread_gradients.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/loop_frames.h"
#include "graph/passes/redirects.h"

namespace warpbeam {
namespace {

bool IsInputGradient(const std::string& op) {
  static const auto* const ops = new absl::flat_hash_set<std::string>{
      "Conv2DBackpropInput", "Conv3DBackpropInput", "Conv3DBackpropInputV2",
      "DepthwiseConv2dNativeBackpropInput"};
  return ops->contains(op);
}

bool IsNextToControlFlow(const Graph& graph, const Node& node) {
  for (const OutputRef in : node.inputs()) {
    if (in.node == kNoNode || IsControlFlow(graph.node(in.node))) return true;
  }
  return false;
}

}  // namespace

Status UnreadGradients(GraphPart* part) {
  if (!part->HasOp([](const OpSchema& op) { return IsInputGradient(op.name); })) {
    return OkStatus();
  }
  const std::shared_ptr<const Graph> kept = part->graph;
  const Graph& graph = *kept;
  std::vector<NodeId> found;
  for (const NodeId id : part->nodes) {
    const Node& node = graph.node(id);
    if (IsInputGradient(node.op_name()) && !IsNextToControlFlow(graph, node)) found.push_back(id);
  }
  if (found.empty()) return OkStatus();
  const absl::flat_hash_set<OutputRef> fed(part->feeds.begin(), part->feeds.end());
  absl::flat_hash_set<NodeId> read;
  for (const OutputRef feed : part->feeds) read.insert(feed.node);
  for (const OutputRef fetch : part->fetches) read.insert(fetch.node);
  read.insert(part->targets.begin(), part->targets.end());
  for (const NodeId id : part->nodes) {
    for (const OutputRef in : graph.node(id).inputs()) read.insert(in.node);
  }
  Redirects redirects(graph);
  for (const NodeId id : found) {
    if (read.contains(id)) continue;
    std::vector<NodeId> waits = graph.node(id).control_inputs();
    for (const OutputRef in : graph.node(id).inputs()) {
      if (!fed.contains(in)) waits.push_back(in.node);
    }
    redirects.Control(id, std::move(waits));
  }
  return redirects.Apply(part);
}

}  // namespace warpbeam
