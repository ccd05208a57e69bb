#include "runtime/session/step_checks.h"

#include <algorithm>
#include <string>

#include "graph/node_roles.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

bool IsDequeue(const Node& node) { return node.op().effect == StateEffect::kDrain; }

// Whatever else takes a queue may fill or close it, or hand it on to what does.
bool NeverFills(const Node& node) {
  return IsDequeue(node) || node.op().effect == StateEffect::kRead;
}

// Whether a dequeue waits for at least one row in any case: of none there is nothing to wait for,
// and how many are asked for may show only when the step runs.
bool WantsRows(const Graph& graph, const Node& dequeue, const std::vector<OutputRef>& feeds) {
  if (dequeue.num_inputs() < 2) return true;
  const OutputRef count = dequeue.input(1);
  if (std::find(feeds.begin(), feeds.end(), count) != feeds.end()) return false;
  const Node& node = graph.node(count.node);
  if (!IsConstant(node)) return false;
  const Tensor value = node.attrs().GetOr<Tensor>("value", Tensor());
  return value.dtype() == DType::kInt32 && value.num_elements() == 1 && *value.data<int32_t>() > 0;
}

// The nodes that a step runs.
std::vector<bool> NodesBefore(const Graph& graph, const std::vector<OutputRef>& feeds,
                              const std::vector<OutputRef>& fetches,
                              const std::vector<NodeId>& targets) {
  const absl::flat_hash_set<OutputRef> fed(feeds.begin(), feeds.end());
  std::vector<bool> seen(graph.num_nodes(), false);
  std::vector<NodeId> to_visit;
  const auto visit = [&](NodeId node) {
    if (node < 0 || seen[node]) return;
    seen[node] = true;
    to_visit.push_back(node);
  };
  for (OutputRef fetch : fetches) visit(fetch.node);
  for (NodeId target : targets) visit(target);
  while (!to_visit.empty()) {
    const Node& node = graph.node(to_visit.back());
    to_visit.pop_back();
    for (OutputRef input : node.inputs()) {
      if (!fed.contains(input)) visit(input.node);
    }
    for (NodeId control : node.control_inputs()) visit(control);
  }
  return seen;
}

}  // namespace

void StepChecks::Add(const Graph& graph, NodeId begin, const std::vector<const OpSchema*>& ops) {
  bool has_queues = false;
  for (const OpSchema* op : ops) {
    has_collectives_ |= op->role == OpRole::kCollective;
    has_queues |= op->role == OpRole::kQueue;
  }
  for (NodeId id = begin; has_queues && id < graph.num_nodes(); ++id) {
    if (graph.node(id).role() == OpRole::kQueue) queues_.insert(id);
  }
  if (queues_.empty()) return;
  for (NodeId id = begin; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!queues_.contains(node.input(i).node)) continue;
      if (!NeverFills(node)) may_be_filled_.insert(node.input(i).node);
      if (i == 0 && IsDequeue(node)) dequeues_.push_back(id);
    }
  }
}

Status StepChecks::Check(const Graph& graph, const std::vector<OutputRef>& feeds,
                         const std::vector<OutputRef>& fetches,
                         const std::vector<NodeId>& targets) const {
  if (!has_collectives_) return OkStatus();
  return CheckCollectives(graph, feeds, NodesBefore(graph, feeds, fetches, targets),
                          /*are_all=*/!has_other_masters_);
}

std::vector<NodeId> StepChecks::DequeuesInDoubt(const Graph& graph,
                                                const std::vector<OutputRef>& feeds,
                                                const std::vector<OutputRef>& fetches,
                                                const std::vector<NodeId>& targets) const {
  std::vector<NodeId> found;
  std::vector<bool> runs;
  for (NodeId id : dequeues_) {
    // The session's graph has grown since the step was resolved.
    if (id >= graph.num_nodes()) break;
    const OutputRef handle = graph.node(id).input(0);
    const Node& queue = graph.node(handle.node);
    if (may_be_filled_.contains(queue.id())) continue;
    if (!queue.attrs().GetOr<std::string>("shared_name", "").empty()) continue;
    if (std::find(feeds.begin(), feeds.end(), handle) != feeds.end()) continue;
    if (!WantsRows(graph, graph.node(id), feeds)) continue;
    if (runs.empty()) runs = NodesBefore(graph, feeds, fetches, targets);
    if (runs[id]) found.push_back(id);
  }
  return found;
}

Status StepChecks::CheckDequeues(const Graph& graph, const std::vector<NodeId>& dequeues) const {
  for (NodeId id : dequeues) {
    const Node& queue = graph.node(graph.node(id).input(0).node);
    if (may_be_filled_.contains(queue.id())) continue;
    return FailedPrecondition("the step could never end: '", ShownName(graph.node(id).name()),
                              "' (", graph.node(id).op_name(), ") waits for the queue '",
                              ShownName(queue.name()),
                              "', which nothing in the graph fills or closes; add an enqueue, give "
                              "the queue a shared_name if another session fills it, or the step a "
                              "deadline if it is to wait for nothing");
  }
  return OkStatus();
}

}  // namespace warpbeam
