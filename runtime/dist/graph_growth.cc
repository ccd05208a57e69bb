#include "runtime/dist/graph_growth.h"

#include "graph/io/function_io.h"
#include "graph/io/graph_export.h"
#include "graph/io/node_io.h"
#include "proto/graph.pb.h"

namespace warpbeam {

Status GraphGrowth::WriteNew(const Graph& graph, tensorflow::GraphDef* proto) const {
  if (num_sent_ == 0) return ExportGraphDef(graph, proto);
  proto->Clear();
  const GraphVersions& versions = graph.versions();
  proto->mutable_versions()->set_producer(versions.producer);
  proto->mutable_versions()->set_min_consumer(versions.min_consumer);
  for (const int bad : versions.bad_consumers) proto->mutable_versions()->add_bad_consumers(bad);
  for (const auto& [name, function] : graph.functions().functions()) {
    if (sent_.Find(name) == function) continue;
    WB_RETURN_IF_ERROR(FunctionToProto(*function, proto->mutable_library()->add_function()));
  }
  for (const auto& [function, gradient] : graph.functions().gradients()) {
    if (sent_.FindGradient(function) == gradient) continue;
    tensorflow::GradientDef* const added = proto->mutable_library()->add_gradient();
    added->set_function_name(function);
    added->set_gradient_func(gradient);
  }
  for (NodeId id = num_sent_; id < graph.num_nodes(); ++id) {
    WB_RETURN_IF_ERROR(NodeToProto(graph, graph.node(id), proto->add_node()));
  }
  return OkStatus();
}

void GraphGrowth::MarkSent(const Graph& graph) {
  num_sent_ = graph.num_nodes();
  sent_ = graph.functions();
}

}  // namespace warpbeam
