#include "frontend/device/device_functions.h"

#include "frontend/graph_state.h"
#include "placement/device_name.h"

namespace warpbeam {
namespace frontend {

StatusOr<std::string> MergeDevices(const std::string& outer, const std::string& inner) {
  WB_ASSIGN_OR_RETURN(const DeviceName strong, DeviceName::Parse(inner));
  WB_ASSIGN_OR_RETURN(DeviceName merged, DeviceName::Parse(outer));
  merged.OverrideWith(strong);
  return merged.ToString();
}

namespace {

// The task of the resource that the node takes, which never leaves it; empty for none. Placement
// brings the two on one device of it.
StatusOr<DeviceName> TaskOfResource(const Graph& graph, const Node& node) {
  for (OutputRef in : node.inputs()) {
    if (in.node == kNoNode) continue;
    const Node& from = graph.node(in.node);
    if (from.output_type(in.index) != DType::kResource) continue;
    WB_ASSIGN_OR_RETURN(DeviceName device, DeviceName::Parse(from.device()));
    device.type.reset();
    device.id.reset();
    return device;
  }
  return DeviceName();
}

}  // namespace

Status AskDeviceFunctions(const Scope& scope, int32_t node) {
  const DeviceFunctionFrame* frame = scope.context().device_functions.get();
  if (frame == nullptr) return OkStatus();
  Graph& graph = *scope.graph();
  const Operation operation(&scope.state(), node);
  WB_ASSIGN_OR_RETURN(const DeviceName task, TaskOfResource(graph, graph.node(node)));
  if (!task.empty()) {
    WB_ASSIGN_OR_RETURN(std::string device, MergeDevices(task.ToString(), operation.device()));
    graph.SetDevice(node, std::move(device));
    return OkStatus();
  }
  for (; frame != nullptr; frame = frame->outer.get()) {
    StatusOr<std::string> said = frame->function(operation);
    if (!said.ok()) return Annotate(said.status(), "asking the scope's device function");
    for (const std::string& outer : {*said, frame->outside}) {
      if (outer.empty()) continue;
      StatusOr<std::string> merged = MergeDevices(outer, operation.device());
      if (!merged.ok()) return Annotate(merged.status(), "what the scope's device function said");
      graph.SetDevice(node, *std::move(merged));
    }
  }
  return OkStatus();
}

Status AskDeviceFunctionsForNew(const Scope& scope, int32_t first) {
  if (scope.context().device_functions == nullptr) return OkStatus();
  const Graph& graph = *scope.graph();
  // What a node is colocated with has been asked for already.
  for (int32_t id = first; id < graph.num_nodes(); ++id) {
    if (graph.node(id).attrs().Find("_class") != nullptr) continue;
    WB_RETURN_IF_ERROR(AskDeviceFunctions(scope, id));
  }
  return OkStatus();
}

}  // namespace frontend
}  // namespace warpbeam
