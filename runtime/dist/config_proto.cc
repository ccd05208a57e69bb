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

tensorflow::RunOptions::TraceLevel ProtoOf(TraceLevel level) {
  switch (level) {
    case TraceLevel::kSoftware:
      return tensorflow::RunOptions::SOFTWARE_TRACE;
    case TraceLevel::kFull:
      return tensorflow::RunOptions::FULL_TRACE;
    default:
      return tensorflow::RunOptions::NO_TRACE;
  }
}

}  // namespace

Status ApplyConfig(const tensorflow::ConfigProto& config, SessionOptions* options) {
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
  return OkStatus();
}

StatusOr<ClusterSpec> ClusterSpecFromProto(const tensorflow::ClusterDef& proto) {
  ClusterSpec::Jobs jobs;
  for (const tensorflow::JobDef& job : proto.job()) {
    if (!jobs.emplace(job.name(), ClusterSpec::Tasks(job.tasks().begin(), job.tasks().end()))
             .second) {
      return InvalidArgument("the cluster has the job '", job.name(), "' twice");
    }
  }
  return ClusterSpec::CreateSparse(jobs);
}

void ClusterSpecToProto(const ClusterSpec& cluster, tensorflow::ClusterDef* proto) {
  for (const auto& [name, tasks] : cluster.jobs()) {
    tensorflow::JobDef* const job = proto->add_job();
    job->set_name(name);
    for (const auto& [task, address] : tasks) (*job->mutable_tasks())[task] = address;
  }
}

RunOptions RunOptionsFromProto(const tensorflow::RunOptions& proto) {
  RunOptions options;
  options.timeout_ms = proto.timeout_in_ms();
  options.trace = TraceLevelOf(proto.trace_level());
  options.partition_graphs = proto.output_partition_graphs();
  options.inter_op_thread_pool = proto.inter_op_thread_pool();
  options.collective_graph_key = proto.experimental().collective_graph_key();
  return options;
}

StatusOr<CallableOptions> CallableOptionsFromProto(const tensorflow::CallableOptions& proto) {
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

Status ConfigToProto(const SessionOptions& options, bool is_isolated,
                     tensorflow::ConfigProto* proto) {
  if (options.deterministic) {
    return InvalidArgument(
        "a session on a server cannot be asked to be deterministic: its devices are shared with "
        "other sessions");
  }
  proto->set_allow_soft_placement(options.allow_soft_placement);
  proto->set_log_device_placement(options.log_device_placement != nullptr);
  proto->set_operation_timeout_in_ms(options.operation_timeout_ms);
  proto->set_inter_op_parallelism_threads(options.inter_op_threads);
  proto->set_intra_op_parallelism_threads(options.intra_op_threads);
  proto->set_use_per_session_threads(options.use_per_session_threads);
  proto->set_isolate_session_state(is_isolated);
  (*proto->mutable_device_count())["CPU"] = options.cpu_devices;
  if (options.gpus >= 0) (*proto->mutable_device_count())["GPU"] = options.gpus;
  if (options.passes == "none") {
    tensorflow::GraphOptions* const graph = proto->mutable_graph_options();
    graph->mutable_rewrite_options()->set_disable_meta_optimizer(true);
    graph->mutable_optimizer_options()->set_opt_level(tensorflow::OptimizerOptions::L0);
  }
  // TensorFlow's servers refuse to extend a graph that they were free to optimise as a whole.
  proto->mutable_experimental()->set_disable_optimize_for_static_graph(true);
  return OkStatus();
}

void RunOptionsToProto(const RunOptions& options, tensorflow::RunOptions* proto) {
  proto->set_timeout_in_ms(options.timeout_ms);
  proto->set_trace_level(ProtoOf(options.trace));
  proto->set_output_partition_graphs(options.partition_graphs);
  proto->set_inter_op_thread_pool(options.inter_op_thread_pool);
  if (options.collective_graph_key == 0) return;
  proto->mutable_experimental()->set_collective_graph_key(options.collective_graph_key);
}

void CallableOptionsToProto(const CallableOptions& options, tensorflow::CallableOptions* proto) {
  for (const std::string& feed : options.feeds) proto->add_feed(feed);
  for (const std::string& fetch : options.fetches) proto->add_fetch(fetch);
  for (const std::string& target : options.targets) proto->add_target(target);
  proto->mutable_feed_devices()->insert(options.feed_devices.begin(), options.feed_devices.end());
  proto->mutable_fetch_devices()->insert(options.fetch_devices.begin(),
                                         options.fetch_devices.end());
  RunOptionsToProto(options.run, proto->mutable_run_options());
  for (const auto& [from, to] : options.connections) {
    tensorflow::TensorConnection* const connection = proto->add_tensor_connection();
    connection->set_from_tensor(from);
    connection->set_to_tensor(to);
  }
}

}  // namespace warpbeam
