#include "runtime/dist/config_proto.h"

#include "proto/config.pb.h"

namespace warpbeam {
namespace {

TraceLevel TraceLevelOf(tensorflow::RunOptions::TraceLevel level) {
  switch (level) {
    case tensorflow::RunOptions::SOFTWARE_TRACE:
    case tensorflow::RunOptions::HARDWARE_TRACE:
      return TraceLevel::kSoftware;
    case tensorflow::RunOptions::FULL_TRACE:
      return TraceLevel::kFull;
    default:
      return TraceLevel::kNone;
  }
}

}  // namespace

absl::Status ApplyConfig(const tensorflow::ConfigProto& config, SessionOptions* options) {
  if (config.session_inter_op_thread_pool_size() > 0) {
    return InvalidArgument(
        "a session on a server has the server's threads: leave session_inter_op_thread_pool empty");
  }
  options->allow_soft_placement = config.allow_soft_placement();
  options->operation_timeout_ms = config.operation_timeout_in_ms();
  const tensorflow::GraphOptions& graph = config.graph_options();
  if (graph.rewrite_options().disable_meta_optimizer() ||
      graph.optimizer_options().opt_level() == tensorflow::OptimizerOptions::L0) {
    options->passes = "none";
  }
  return absl::OkStatus();
}

RunOptions RunOptionsFromProto(const tensorflow::RunOptions& proto) {
  RunOptions options;
  options.timeout_ms = proto.timeout_in_ms();
  options.trace = TraceLevelOf(proto.trace_level());
  options.partition_graphs = proto.output_partition_graphs();
  options.inter_op_thread_pool = proto.inter_op_thread_pool();
  return options;
}

absl::StatusOr<CallableOptions> CallableOptionsFromProto(const tensorflow::CallableOptions& proto) {
  CallableOptions options;
  options.feeds.assign(proto.feed().begin(), proto.feed().end());
  options.fetches.assign(proto.fetch().begin(), proto.fetch().end());
  options.targets.assign(proto.target().begin(), proto.target().end());
  options.feed_devices.insert(proto.feed_devices().begin(), proto.feed_devices().end());
  options.fetch_devices.insert(proto.fetch_devices().begin(), proto.fetch_devices().end());
  options.run = RunOptionsFromProto(proto.run_options());
  for (const tensorflow::TensorConnection& connection : proto.tensor_connection()) {
    options.connections.emplace_back(connection.from_tensor(), connection.to_tensor());
  }
  return options;
}

}  // namespace warpbeam
