#include "runtime/trace/run_metadata_proto.h"

#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/io/dtype_io.h"
#include "graph/io/node_io.h"
#include "graph/io/tensor_io.h"
#include "proto/config.pb.h"
#include "proto/step_stats.pb.h"

namespace warpbeam {
namespace {

const char* AllocatorOf(absl::string_view device) {
  return absl::StrContains(device, "GPU") ? "gpu" : "cpu";
}

void OutputToProto(const OutputStats& output, const char* allocator,
                   tensorflow::NodeOutput* proto) {
  proto->set_slot(output.slot);
  tensorflow::TensorDescription* tensor = proto->mutable_tensor_description();
  tensor->set_dtype(static_cast<tensorflow::DataType>(NumberOf(output.dtype)));
  ShapeToProto(output.shape, tensor->mutable_shape());
  tensorflow::AllocationDescription* memory = tensor->mutable_allocation_description();
  memory->set_requested_bytes(output.bytes);
  memory->set_allocated_bytes(output.allocated_bytes);
  memory->set_allocator_name(allocator);
  memory->set_ptr(output.address);
}

void MemoryToProto(const NodeStats& n, int64_t start_us, tensorflow::NodeExecStats* proto) {
  const char* allocator = AllocatorOf(n.device);
  int64_t allocated = 0;
  for (const OutputStats& output : n.outputs) {
    OutputToProto(output, allocator, proto->add_output());
    if (output.alias_input < 0) allocated += output.allocated_bytes;
  }
  tensorflow::AllocatorMemoryUsed* memory = proto->add_memory();
  memory->set_allocator_name(allocator);
  memory->set_total_bytes(allocated + n.workspace_bytes);
  memory->set_peak_bytes(allocated + n.workspace_bytes);
  memory->set_live_bytes(allocated);
  if (n.workspace_bytes > 0) {
    proto->mutable_memory_stats()->set_temp_memory_size(n.workspace_bytes);
  }
  for (const OutputStats& output : n.outputs) {
    if (output.alias_input >= 0) continue;
    tensorflow::AllocationRecord* record = memory->add_allocation_records();
    record->set_alloc_micros(start_us);
    record->set_alloc_bytes(output.allocated_bytes);
  }
}

// "name = Op(input, input)", from which timelines draw the edges.
std::string Label(const StepStats& stats, const NodeStats& n) {
  if (n.is_copy) {
    const auto name = [](absl::string_view d) { return d.empty() ? "host" : d; };
    return absl::StrCat("[Send] ", n.output_bytes, "B from ", name(n.copy_from), " to ",
                        name(n.copy_to), " : ", n.node, " = MEMCPY(", n.node, ")");
  }
  std::set<absl::string_view> inputs;
  for (int32_t p : n.predecessors) inputs.insert(stats.nodes[p].node);
  return absl::StrCat(n.node, " = ", n.op, "(", absl::StrJoin(inputs, ", "), ")");
}

void NodeToProto(const StepStats& stats, const NodeStats& n, tensorflow::NodeExecStats* proto) {
  const int64_t start_ns = n.start_ns + stats.wall_offset_ns;
  const int64_t length_ns = n.end_ns - n.start_ns;
  proto->set_node_name(absl::StrCat(n.node, n.is_copy ? ":MEMCPY" : ""));
  proto->set_all_start_micros(start_ns / 1000);
  proto->set_all_start_nanos(start_ns);
  proto->set_op_end_rel_micros(length_ns / 1000);
  proto->set_op_end_rel_nanos(length_ns);
  proto->set_all_end_rel_micros(length_ns / 1000);
  proto->set_all_end_rel_nanos(length_ns);
  proto->set_scheduled_micros((n.scheduled_ns + stats.wall_offset_ns) / 1000);
  proto->set_scheduled_nanos(n.scheduled_ns + stats.wall_offset_ns);
  proto->set_thread_id(static_cast<uint32_t>(n.thread));
  proto->set_timeline_label(Label(stats, n));
  MemoryToProto(n, start_ns / 1000, proto);
}

}  // namespace

void StepStatsToProto(const StepStats& stats, tensorflow::StepStats* proto) {
  std::map<std::string, tensorflow::DeviceStepStats*> devices;
  for (const NodeStats& n : stats.nodes) {
    const std::string name = absl::StrCat(n.device, n.is_copy ? "/memcpy" : "");
    tensorflow::DeviceStepStats*& device = devices[name];
    if (device == nullptr) {
      device = proto->add_dev_stats();
      device->set_device(name);
    }
    NodeToProto(stats, n, device->add_node_stats());
    const auto thread = stats.thread_names.find(n.thread);
    if (thread != stats.thread_names.end()) {
      (*device->mutable_thread_names())[static_cast<uint32_t>(n.thread)] = thread->second;
    }
  }
}

void CostGraphToProto(const CostGraph& cost, tensorflow::CostGraphDef* proto) {
  for (const CostNode& n : cost.nodes) {
    tensorflow::CostGraphDef::Node* node = proto->add_node();
    node->set_name(n.name);
    node->set_device(n.device);
    node->set_id(n.id);
    node->set_compute_cost(n.cost_us);
    node->set_compute_time(n.cost_us);
    node->set_is_final(n.is_final);
    for (const CostNode::Input& input : n.inputs) {
      auto* info = node->add_input_info();
      info->set_preceding_node(input.node);
      info->set_preceding_port(input.output);
    }
    for (int32_t control : n.control_inputs) node->add_control_input(control);
    for (const OutputStats& output : n.outputs) {
      auto* info = node->add_output_info();
      info->set_size(output.bytes);
      info->set_alias_input_port(output.alias_input);
      info->set_dtype(static_cast<tensorflow::DataType>(NumberOf(output.dtype)));
      ShapeToProto(output.shape, info->mutable_shape());
    }
  }
  for (const auto& [dimension, total] : cost.totals) {
    tensorflow::CostGraphDef::AggregatedCost* sum = proto->add_cost();
    sum->set_dimension(dimension);
    sum->set_cost(static_cast<float>(total));
  }
}

Status DeviceGraphToProto(const DeviceGraph& part, tensorflow::GraphDef* proto) {
  for (const NodeSpec& node : part.nodes) {
    WB_RETURN_IF_ERROR(warpbeam::NodeToProto(node, proto->add_node()));
  }
  return OkStatus();
}

std::string SerializeStepStats(const StepStats& stats) {
  tensorflow::StepStats proto;
  StepStatsToProto(stats, &proto);
  return proto.SerializeAsString();
}

Status RunMetadataToProto(const StepStats& stats, const CostGraph& cost,
                          const std::vector<DeviceGraph>& partitions,
                          tensorflow::RunMetadata* proto) {
  // What nobody asked for is not there: programs look whether it is.
  if (!stats.nodes.empty()) StepStatsToProto(stats, proto->mutable_step_stats());
  if (!cost.nodes.empty()) CostGraphToProto(cost, proto->mutable_cost_graph());
  for (const DeviceGraph& partition : partitions) {
    WB_RETURN_IF_ERROR(DeviceGraphToProto(partition, proto->add_partition_graphs()));
  }
  return OkStatus();
}

StatusOr<std::string> SerializeRunMetadata(const StepStats& stats, const CostGraph& cost,
                                           const std::vector<DeviceGraph>& partitions) {
  tensorflow::RunMetadata proto;
  WB_RETURN_IF_ERROR(RunMetadataToProto(stats, cost, partitions, &proto));
  return proto.SerializeAsString();
}

}  // namespace warpbeam
