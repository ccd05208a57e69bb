#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "placement/partition.h"
#include "placement/placement_messages.h"
#include "placement/placer.h"
#include "placement/placer_state.h"

namespace warpbeam {
namespace {

int64_t BytesOf(const Graph& graph, OutputRef output) {
  const Node& node = graph.node(output.node);
  const DType type = BaseType(node.output_type(output.index));
  const int64_t elements = node.output_shape(output.index).num_elements();
  int64_t bytes;
  if (elements < 0 || !IsPlainData(type) ||
      __builtin_mul_overflow(elements, static_cast<int64_t>(DTypeSize(type)), &bytes)) {
    return -1;
  }
  return bytes;
}

class ReportBuilder {
 public:
  ReportBuilder(const Graph& graph, PlacerState* state)
      : graph_(graph),
        state_(state),
        messages_(graph, *state),
        count_(static_cast<NodeId>(state->decisions.size())),
        copied_(count_, 0) {}

  PlacementReport Build() {
    for (const DeviceName& device : state_->devices) report_.devices.push_back(device.ToString());
    AddEdges();
    report_.nodes.reserve(count_);
    for (NodeId id = 0; id < count_; ++id) report_.nodes.push_back(Entry(id));
    return std::move(report_);
  }

  PlacementEntry BuildEntry(NodeId id) {
    AddEdges();
    return Entry(id);
  }

 private:
  PlacementEntry Entry(NodeId id) {
    const Node& node = graph_.node(id);
    PlacementEntry entry;
    entry.node = node.name();
    entry.op = node.op_name();
    entry.requested = node.device();
    entry.location = node.location().ToString();
    auto [kernels, added] = kernels_.try_emplace(node.op_name());
    if (added) kernels->second = state_->support.catalog().Describe(node.op_name());
    entry.kernels = kernels->second;
    if (id >= count_) {
      entry.reason = "not placed yet";
      return entry;
    }
    const Decision& decision = state_->decisions[id];
    entry.assigned = Device(id);
    entry.copied_bytes = copied_[id];
    entry.rule = decision.rule;
    entry.reason = messages_.Reason(id, decision, state_->support.Of(graph_, node));
    if (decision.forced_by != kNoNode) entry.forced_by = graph_.node(decision.forced_by).name();
    return entry;
  }

  std::string Device(NodeId id) const {
    return state_->devices[state_->decisions[id].device].ToString();
  }
  void AddEdges();
  void AddCopies(const Partition& partition);
  int32_t ShareEdge(OutputRef source, NodeId reader);
  void Charge(NodeId node, int64_t bytes) {
    copied_[node] = bytes < 0 || copied_[node] < 0 ? -1 : copied_[node] + bytes;
  }

  const Graph& graph_;
  PlacerState* const state_;
  const PlacementMessages messages_;
  const NodeId count_;  // of placed nodes
  PlacementReport report_;
  std::vector<int64_t> copied_;
  absl::flat_hash_map<std::string, std::vector<std::string>> kernels_;
  absl::flat_hash_map<std::pair<OutputRef, int>, int32_t> shared_;  // by source and destination
};

void ReportBuilder::AddCopies(const Partition& partition) {
  for (const Copy& copy : partition.copies) {
    CopyEdge edge;
    edge.producer = absl::StrCat(graph_.node(copy.source.node).name(), ":", copy.source.index);
    edge.from = Device(copy.source.node);
    edge.to = Device(copy.uses[0].node);
    edge.kind = CopyKindName(copy.kind);
    edge.bytes = BytesOf(graph_, copy.source);
    Charge(copy.source.node, edge.bytes);
    NodeId last = kNoNode;
    for (const ConsumerUse& use : copy.uses) {
      if (use.node == last) continue;
      last = use.node;
      edge.consumers.push_back(graph_.node(use.node).name());
      Charge(use.node, edge.bytes);
    }
    report_.copies.push_back(std::move(edge));
  }
}

int32_t ReportBuilder::ShareEdge(OutputRef source, NodeId reader) {
  auto [it, added] = shared_.try_emplace({source, state_->decisions[reader].device},
                                         static_cast<int32_t>(report_.copies.size()));
  if (added) {
    CopyEdge edge;
    edge.producer = absl::StrCat(graph_.node(source.node).name(), ":", source.index);
    edge.from = Device(source.node);
    edge.to = Device(reader);
    edge.bytes = BytesOf(graph_, source);
    edge.shared = true;
    report_.copies.push_back(std::move(edge));
  }
  report_.copies[it->second].consumers.push_back(graph_.node(reader).name());
  return it->second;
}

void ReportBuilder::AddEdges() {
  std::vector<NodeId> all(count_);
  std::iota(all.begin(), all.end(), 0);
  PlanBounds bounds;
  bounds.kept = all;
  const std::vector<Site> sites = state_->Sites();
  auto partition =
      PartitionGraph(graph_, bounds, sites, state_->devices, state_->support.catalog());
  if (partition.ok()) AddCopies(*partition);
  for (NodeId id = 0; id < count_; ++id) {
    const Node& node = graph_.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef source = node.input(i);
      if (source.node == kNoNode) continue;
      PlacementEdge edge{source.node, id, -1, false};
      if (partition.ok()) edge.copy = partition->input_copy(id, i);
      if (edge.copy < 0 && sites[source.node] != sites[id]) {
        edge.copy = ShareEdge(source, id);
      }
      report_.edges.push_back(edge);
    }
    for (NodeId control : node.control_inputs()) report_.edges.push_back({control, id, -1, true});
  }
}

}  // namespace

PlacementEntry Placer::Explain(const Graph& graph, NodeId node) const {
  return ReportBuilder(graph, state_.get()).BuildEntry(node);
}

PlacementReport Placer::Report(const Graph& graph) const {
  return ReportBuilder(graph, state_.get()).Build();
}

}  // namespace warpbeam
