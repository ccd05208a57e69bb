// What a task of a cluster tells of its part of a step, read from the wire.
#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/io/dtype_io.h"
#include "graph/io/node_io.h"
#include "graph/io/tensor_io.h"
#include "proto/graph.pb.h"
#include "proto/step_stats.pb.h"
#include "runtime/trace/run_metadata_proto.h"

namespace warpbeam {
namespace {

// What constants in a graph that only describes a step may hold.
constexpr int64_t kMaxValueBytes = int64_t{1} << 30;

// Strings of nodes, and of whatever the statistics had before.
struct Names {
  absl::string_view Keep(absl::string_view text) {
    const auto found = known.find(text);
    if (found != known.end()) return found->second;
    const absl::string_view kept = strings.emplace_back(text);
    known[kept] = kept;
    return kept;
  }
  std::shared_ptr<const void> before;
  std::deque<std::string> strings;
  absl::flat_hash_map<absl::string_view, absl::string_view> known;
};

// What a timeline's label says: "name = Op(input, input)".
struct Label {
  explicit Label(absl::string_view text) {
    const size_t begin = text.find(" = ");
    const size_t open = text.find('(', begin == absl::string_view::npos ? 0 : begin);
    if (begin == absl::string_view::npos || open == absl::string_view::npos) return;
    op = text.substr(begin + 3, open - begin - 3);
    absl::string_view list = text.substr(open + 1);
    list = list.substr(0, list.rfind(')'));
    for (const absl::string_view input : absl::StrSplit(list, ", ", absl::SkipEmpty())) {
      inputs.push_back(input.substr(0, input.find(':')));
    }
  }
  absl::string_view op;
  std::vector<absl::string_view> inputs;
};

OutputStats ReadOutput(const tensorflow::NodeOutput& proto) {
  OutputStats output;
  output.slot = proto.slot();
  const tensorflow::TensorDescription& tensor = proto.tensor_description();
  output.dtype = DTypeFromNumber(static_cast<int>(tensor.dtype())).value_or(DType::kInvalid);
  if (auto shape = ShapeFromProto(tensor.shape()); shape.ok() && shape->IsFullyDefined()) {
    output.shape = *shape->AsShape();
  }
  output.bytes = tensor.allocation_description().requested_bytes();
  output.allocated_bytes = tensor.allocation_description().allocated_bytes();
  output.address = tensor.allocation_description().ptr();
  return output;
}

// Nanoseconds, which older programs do not tell.
int64_t Nanos(int64_t nanos, int64_t micros) { return nanos != 0 ? nanos : micros * 1000; }

NodeStats ReadNode(const tensorflow::NodeExecStats& proto, const Label& label,
                   absl::string_view device, int64_t wall_offset_ns, Names* names) {
  NodeStats node;
  absl::string_view name = proto.node_name();
  node.is_copy = absl::ConsumeSuffix(&name, ":MEMCPY");
  node.node = names->Keep(name);
  node.op = names->Keep(node.is_copy ? absl::string_view("_Copy") : label.op);
  node.device = names->Keep(device);
  node.start_ns = Nanos(proto.all_start_nanos(), proto.all_start_micros()) - wall_offset_ns;
  node.end_ns = node.start_ns + Nanos(proto.all_end_rel_nanos(), proto.all_end_rel_micros());
  const int64_t scheduled = Nanos(proto.scheduled_nanos(), proto.scheduled_micros());
  node.scheduled_ns =
      scheduled == 0 ? node.start_ns : std::min(node.start_ns, scheduled - wall_offset_ns);
  node.workspace_bytes = proto.memory_stats().temp_memory_size();
  for (const tensorflow::NodeOutput& output : proto.output()) {
    node.outputs.push_back(ReadOutput(output));
    node.output_bytes += node.outputs.back().bytes;
  }
  return node;
}

int32_t FirstFreeThread(const StepStats& stats) {
  int32_t first = 0;
  for (const NodeStats& node : stats.nodes) first = std::max(first, node.thread + 1);
  for (const auto& [thread, name] : stats.thread_names) first = std::max(first, thread + 1);
  return first;
}

// Nodes stand in the order in which they ended.
void SortNodes(StepStats* stats) {
  std::vector<int32_t> order(stats->nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return stats->nodes[a].end_ns < stats->nodes[b].end_ns;
  });
  std::vector<int32_t> place(order.size());
  std::vector<NodeStats> sorted;
  sorted.reserve(order.size());
  for (const int32_t from : order) {
    place[from] = static_cast<int32_t>(sorted.size());
    sorted.push_back(std::move(stats->nodes[from]));
  }
  for (NodeStats& node : sorted) {
    for (int32_t& p : node.predecessors) p = place[p];
  }
  stats->nodes = std::move(sorted);
}

}  // namespace

void AppendStepStats(const tensorflow::StepStats& proto, StepStats* stats) {
  const auto names = std::make_shared<Names>();
  names->before = stats->names;
  const size_t first = stats->nodes.size();
  const int32_t first_thread = FirstFreeThread(*stats);
  absl::flat_hash_map<uint32_t, int32_t> threads;
  const auto thread_of = [&](uint32_t thread) {
    const auto next = first_thread + static_cast<int32_t>(threads.size());
    return threads.try_emplace(thread, next).first->second;
  };
  std::vector<std::vector<absl::string_view>> inputs;
  for (const tensorflow::DeviceStepStats& device : proto.dev_stats()) {
    const absl::string_view of = absl::StripSuffix(device.device(), "/memcpy");
    for (const tensorflow::NodeExecStats& told : device.node_stats()) {
      const Label label(told.timeline_label());
      NodeStats node = ReadNode(told, label, of, stats->wall_offset_ns, names.get());
      node.thread = thread_of(told.thread_id());
      std::vector<absl::string_view>& read = inputs.emplace_back();
      for (const absl::string_view input : label.inputs) read.push_back(names->Keep(input));
      stats->nodes.push_back(std::move(node));
    }
    for (const auto& [thread, name] : device.thread_names()) {
      stats->thread_names[thread_of(thread)] = name;
    }
  }
  // A tensor and its copies have one name: whoever reads it read what was there last before it ran.
  absl::flat_hash_map<absl::string_view, std::vector<int32_t>> at;
  for (size_t i = first; i < stats->nodes.size(); ++i) {
    at[stats->nodes[i].node].push_back(static_cast<int32_t>(i));
  }
  for (size_t i = first; i < stats->nodes.size(); ++i) {
    NodeStats& node = stats->nodes[i];
    for (const absl::string_view input : inputs[i - first]) {
      int32_t latest = -1;
      for (const int32_t p : at[input]) {
        if (stats->nodes[p].end_ns > node.start_ns || p == static_cast<int32_t>(i)) continue;
        if (latest < 0 || stats->nodes[p].end_ns > stats->nodes[latest].end_ns) latest = p;
      }
      if (latest >= 0) node.predecessors.push_back(latest);
    }
    stats->start_ns = i == 0 ? node.start_ns : std::min(stats->start_ns, node.start_ns);
    stats->end_ns = std::max(stats->end_ns, node.end_ns);
  }
  stats->names = names;
  SortNodes(stats);
}

StatusOr<DeviceGraph> DeviceGraphFromProto(const tensorflow::GraphDef& proto) {
  DeviceGraph part;
  ValueBudget budget(kMaxValueBytes);
  IgnoredAttrs ignored(OpRegistry::Global());
  for (const tensorflow::NodeDef& node : proto.node()) {
    WB_ASSIGN_OR_RETURN(NodeSpec spec, NodeFromProto(node, &budget, &ignored));
    if (part.device.empty()) part.device = spec.device;
    part.nodes.push_back(std::move(spec));
  }
  return part;
}

}  // namespace warpbeam
