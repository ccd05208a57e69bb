#include "runtime/dist/cluster/part_graph.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "graph/io/function_io.h"
#include "graph/io/node_io.h"
#include "graph/passes/pass_pipeline.h"
#include "graph/types/shown_name.h"
#include "proto/graph.pb.h"
#include "runtime/function/callable_catalog.h"

namespace warpbeam {
namespace {

Status CheckDevice(const Node& node, const DeviceName& task) {
  if (node.device().empty()) return OkStatus();
  WB_ASSIGN_OR_RETURN(const DeviceName asked, DeviceName::Parse(node.device()));
  DeviceName of_task;
  of_task.job = asked.job;
  of_task.replica = asked.replica;
  of_task.task = asked.task;
  if (of_task.IsCompatibleWith(task)) return OkStatus();
  return InvalidArgument(DescribeNode(node), " is on ", ShownName(node.device()),
                         ", but was given to ", task.ToString());
}

bool IsTransfer(const tensorflow::NodeDef& node) {
  return node.op() == "_Send" || node.op() == "_Recv";
}

// Puts `suffix` behind the names of what sends and receives, and where they are read.
void Rename(absl::string_view suffix, tensorflow::GraphDef* proto) {
  absl::flat_hash_set<std::string> transfers;
  for (tensorflow::NodeDef& node : *proto->mutable_node()) {
    if (!IsTransfer(node)) continue;
    transfers.insert(node.name());
    node.set_name(absl::StrCat(node.name(), suffix));
  }
  if (transfers.empty()) return;
  for (tensorflow::NodeDef& node : *proto->mutable_node()) {
    for (std::string& input : *node.mutable_input()) {
      // "name", "name:1" or "^name".
      const bool is_control = absl::StartsWith(input, "^");
      const size_t colon = input.find(':');
      const std::string name = input.substr(is_control ? 1 : 0, colon);
      if (!transfers.contains(name)) continue;
      const std::string output = colon == std::string::npos ? "" : input.substr(colon);
      input = absl::StrCat(is_control ? "^" : "", name, suffix, output);
    }
  }
}

}  // namespace

Status WritePart(const TaskPart& part, Span<const DeviceName> devices, absl::string_view suffix,
                 tensorflow::GraphDef* proto) {
  GraphPart runs;
  runs.graph = part.graph;
  runs.feeds = part.feeds;
  runs.fetches = part.fetches;
  runs.targets = part.targets;
  runs.Prune();
  const Graph& graph = *part.graph;
  for (const NodeId id : runs.nodes) {
    tensorflow::NodeDef* const node = proto->add_node();
    WB_RETURN_IF_ERROR(NodeToProto(graph, graph.node(id), node));
    const Site site = graph.site(id);
    if (site < 0 || static_cast<size_t>(site) >= devices.size()) {
      return Internal(DescribeNode(graph.node(id)), " has no device in its part");
    }
    node->set_device(devices[static_cast<size_t>(site)].ToString());
  }
  Rename(suffix, proto);
  const GraphVersions& versions = graph.versions();
  proto->mutable_versions()->set_producer(versions.producer);
  proto->mutable_versions()->set_min_consumer(versions.min_consumer);
  return WriteFunctions(graph.functions(), proto->mutable_library());
}

StatusOr<std::shared_ptr<Graph>> ReadPart(const tensorflow::GraphDef& proto,
                                          const ImportLimits& limits) {
  auto graph = std::make_shared<Graph>();
  ImportOptions import;
  import.limits = limits;
  import.allow_internal_names = true;
  WB_RETURN_IF_ERROR(ImportGraphDef(proto, import, graph.get()));
  return graph;
}

StatusOr<StepBounds> PlacePart(std::shared_ptr<Graph> graph, const KernelCatalog& catalog,
                               const PlacerOptions& placing,
                               const std::vector<DeviceName>& devices) {
  DeviceName task = devices.front();
  task.type.reset();
  task.id.reset();
  for (const Node& node : graph->nodes()) WB_RETURN_IF_ERROR(CheckDevice(node, task));
  const CallableCatalog callables(catalog, graph->functions());
  Placer placer(&callables, devices, placing);
  WB_RETURN_IF_ERROR(placer.Place(*graph));
  graph->SetSites(placer.sites());
  StepBounds bounds;
  std::vector<bool> is_read(graph->num_nodes(), false);
  for (const Node& node : graph->nodes()) {
    for (const OutputRef in : node.inputs()) {
      if (in.node != kNoNode) is_read[in.node] = true;
    }
    for (const NodeId control : node.control_inputs()) is_read[control] = true;
  }
  for (NodeId id = 0; id < graph->num_nodes(); ++id) {
    if (!is_read[id]) bounds.targets.push_back(id);
  }
  bounds.graph = std::move(graph);
  return bounds;
}

}  // namespace warpbeam
