#include "graph/io/graph_export.h"

#include "google/protobuf/arena.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "graph/io/function_io.h"
#include "graph/io/node_io.h"
#include "proto/graph.pb.h"

namespace warpbeam {
namespace {

using tensorflow::GraphDef;

// Everything but the nodes.
Status WriteRest(const Graph& graph, GraphDef* proto) {
  if (!graph.unknown_fields().empty() && !proto->ParseFromString(graph.unknown_fields())) {
    return Internal("the kept wire fields of the graph do not parse");
  }
  const GraphVersions& versions = graph.versions();
  if (versions.producer != 0 || versions.min_consumer != 0 || !versions.bad_consumers.empty()) {
    proto->mutable_versions()->set_producer(versions.producer);
    proto->mutable_versions()->set_min_consumer(versions.min_consumer);
    for (int bad : versions.bad_consumers) proto->mutable_versions()->add_bad_consumers(bad);
  }
  if (graph.functions().size() == 0 && graph.functions().gradients().empty()) {
    return OkStatus();
  }
  return WriteFunctions(graph.functions(), proto->mutable_library());
}

}  // namespace

Status ExportGraphDef(const Graph& graph, GraphDef* proto) {
  proto->Clear();
  WB_RETURN_IF_ERROR(WriteRest(graph, proto));
  for (const Node& node : graph.nodes()) {
    WB_RETURN_IF_ERROR(NodeToProto(graph, node, proto->add_node()));
  }
  return OkStatus();
}

StatusOr<std::string> ExportGraphDef(const Graph& graph) {
  // Node by node: of a large graph only one message is in memory at a time. Those of all functions
  // lie side by side in an arena.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    {
      google::protobuf::Arena arena;
      auto* rest = google::protobuf::Arena::CreateMessage<GraphDef>(&arena);
      WB_RETURN_IF_ERROR(WriteRest(graph, rest));
      rest->SerializeToCodedStream(&coded);
    }
    GraphDef piece;
    for (const Node& node : graph.nodes()) {
      piece.Clear();
      WB_RETURN_IF_ERROR(NodeToProto(graph, node, piece.add_node()));
      if (piece.ByteSizeLong() + static_cast<size_t>(coded.ByteCount()) > INT32_MAX) {
        return ResourceExhausted("the graph does not fit into one message of at most 2 GiB (node '",
                                 node.name(), "' is the first one too many)");
      }
      piece.SerializeToCodedStream(&coded);
    }
  }
  return bytes;
}

StatusOr<std::string> ExportGraphText(const Graph& graph) {
  GraphDef proto;
  WB_RETURN_IF_ERROR(ExportGraphDef(graph, &proto));
  std::string text;
  google::protobuf::TextFormat::PrintToString(proto, &text);
  return text;
}

}  // namespace warpbeam
