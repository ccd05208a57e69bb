#include "runtime/dist/remote_metadata.h"

#include <utility>

#include "proto/config.pb.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {

Status MetadataFromProto(const tensorflow::RunMetadata& proto, RunMetadata* metadata) {
  *metadata = RunMetadata();
  AppendStepStats(proto.step_stats(), &metadata->step_stats);
  for (const NodeStats& node : metadata->step_stats.nodes) {
    metadata->nodes_executed += !node.is_copy;
  }
  for (const tensorflow::GraphDef& graph : proto.partition_graphs()) {
    WB_ASSIGN_OR_RETURN(DeviceGraph part, DeviceGraphFromProto(graph));
    metadata->partition_graphs.push_back(std::move(part));
  }
  return OkStatus();
}

}  // namespace warpbeam
