// A task's part of a step as the message that its worker registers, and back.
//
//   WB_RETURN_IF_ERROR(WritePart(part, devices_of_task, "_S7", request.mutable_graph_def()));
//   WB_ASSIGN_OR_RETURN(auto graph, ReadPart(request.graph_def(), limits));              // worker
//   WB_ASSIGN_OR_RETURN(StepBounds bounds, PlacePart(graph, catalog, placing, devices));
//
// A part in a message has neither feeds nor fetches: tensors come to it through _Recv nodes and
// leave through _Send nodes, and all of its nodes run. Every node names its device in full; one
// that does not is placed by the task's own rules.
//
// Ownership: values. Thread safety: pure functions. Errors: those of graph/io; INVALID_ARGUMENT for
// a node that asks for another task's device, naming it.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_PART_GRAPH_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_PART_GRAPH_H_

#include <memory>
#include <vector>

#include "graph/io/graph_import.h"
#include "placement/cut.h"
#include "placement/placer.h"
#include "runtime/compile/plan_compiler.h"

namespace warpbeam {

// `devices` are the task's own. What sends and receives gets `suffix` behind its name, which no
// other part of the session has: TensorFlow's workers keep kernels by the names of their nodes, for
// all graphs of a session, and with the kernel the key under which it sends.
Status WritePart(const TaskPart& part, Span<const DeviceName> devices, absl::string_view suffix,
                 tensorflow::GraphDef* proto);

StatusOr<std::shared_ptr<Graph>> ReadPart(const tensorflow::GraphDef& proto,
                                          const ImportLimits& limits);
// What a worker runs of a graph that it has read: all of it, on `devices`.
StatusOr<StepBounds> PlacePart(std::shared_ptr<Graph> graph, const KernelCatalog& catalog,
                               const PlacerOptions& placing,
                               const std::vector<DeviceName>& devices);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_PART_GRAPH_H_
