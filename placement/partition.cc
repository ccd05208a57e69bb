#include "placement/partition.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace warpbeam {
namespace {

class Partitioner {
 public:
  Partitioner(const Graph& graph, const PlanBounds& bounds, Span<const Site> sites,
              Span<const DeviceName> devices, const KernelCatalog& catalog)
      : graph_(graph),
        bounds_(bounds),
        sites_(sites),
        devices_(devices),
        catalog_(catalog),
        position_(graph.num_nodes(), -1),
        fed_(bounds.feeds.begin(), bounds.feeds.end()) {
    for (DeviceName const& device : devices) {
      is_gpu_.push_back(device.known_type() == DeviceType::kGpu);
    }
  }

  StatusOr<Partition> Run() {
    WB_RETURN_IF_ERROR(PlaceNodes());
    for (int k = 0; k < num_kept(); ++k) WB_RETURN_IF_ERROR(ReadInputs(k));
    for (size_t i = 0; i < bounds_.fetches.size(); ++i) {
      const OutputRef fetch = bounds_.fetches[i];
      WB_ASSIGN_OR_RETURN(const Memory memory, MemoryOf(fetch, "a fetch"));
      p_.fetch_copies.push_back(memory.is_host() ? -1
                                                 : CopyTo(fetch, memory, Memory::Host(),
                                                          {kNoNode, static_cast<int32_t>(i)}));
    }
    return std::move(p_);
  }

 private:
  int num_kept() const { return static_cast<int>(bounds_.kept.size()); }
  const Node& kept(int k) const { return graph_.node(bounds_.kept[k]); }
  // The memory that a device's kernels use unless they say otherwise.
  Memory OwnMemory(int device) const {
    return is_gpu_[device] ? Memory::Of(device) : Memory::Host();
  }

  Status PlaceNodes();
  void MemoryOfNode(int k);
  Status ReadInputs(int k);
  Status ReadReference(int k, int input, OutputRef source);
  StatusOr<Memory> MemoryOf(OutputRef output, absl::string_view reader) const;
  int32_t CopyTo(OutputRef source, Memory from, Memory to, ConsumerUse use);

  const Graph& graph_;
  const PlanBounds& bounds_;
  const Span<const Site> sites_;
  const Span<const DeviceName> devices_;
  const KernelCatalog& catalog_;
  std::vector<int32_t> position_;  // of a node among the kept ones
  const absl::flat_hash_set<OutputRef> fed_;
  std::vector<bool> is_gpu_;
  absl::flat_hash_map<std::pair<OutputRef, Memory>, int32_t> copy_of_;  // by source and destination
  Partition p_;
};

Status Partitioner::PlaceNodes() {
  for (int k = 0; k < num_kept(); ++k) position_[bounds_.kept[k]] = k;
  p_.device.reserve(num_kept());
  p_.input_begin.reserve(num_kept() + 1);
  p_.output_begin.reserve(num_kept() + 1);
  // Of most nodes.
  p_.input_memories.reserve(size_t{2} * num_kept());
  p_.output_memories.reserve(num_kept());
  p_.input_begin.push_back(0);
  p_.output_begin.push_back(0);
  for (int k = 0; k < num_kept(); ++k) {
    const auto id = static_cast<size_t>(bounds_.kept[k]);
    const Site device = id < sites_.size() ? sites_[id] : kNoSite;
    if (device < 0 || device >= static_cast<int>(devices_.size())) {
      return Internal("partition: node '", kept(k).name(), "' is not placed");
    }
    p_.device.push_back(device);
    MemoryOfNode(k);
  }
  p_.input_copies.assign(p_.input_memories.size(), -1);
  return OkStatus();
}

void Partitioner::MemoryOfNode(int k) {
  const Node& node = kept(k);
  const Memory own = OwnMemory(p_.device[k]);
  const int num_inputs = node.num_inputs();
  if (own.is_host()) {
    p_.input_memories.insert(p_.input_memories.end(), num_inputs, own);
    p_.output_memories.insert(p_.output_memories.end(), node.num_outputs(), own);
  } else {
    const MemoryPlaces places = catalog_.Memory(node.op(), node.attrs(), DeviceType::kGpu);
    auto on_host = [](const std::vector<bool>& declared, int i, DType type) {
      return (i < static_cast<int>(declared.size()) && declared[i]) || IsHostOnly(BaseType(type));
    };
    for (int i = 0; i < num_inputs; ++i) {
      const bool host = on_host(places.input_on_host, i, node.input_type(i));
      p_.input_memories.push_back(host ? Memory::Host() : own);
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const bool host = on_host(places.output_on_host, i, node.output_type(i));
      p_.output_memories.push_back(host ? Memory::Host() : own);
    }
  }
  p_.input_begin.push_back(static_cast<int32_t>(p_.input_memories.size()));
  p_.output_begin.push_back(static_cast<int32_t>(p_.output_memories.size()));
}

StatusOr<Memory> Partitioner::MemoryOf(OutputRef output, absl::string_view reader) const {
  if (fed_.contains(output)) return Memory::Host();
  const int k = output.node < 0 ? -1 : position_[output.node];
  if (k < 0) {
    return Internal("partition: ", reader, " reads '",
                    output.node < 0 ? "nothing" : graph_.node(output.node).name(),
                    "', which is not kept");
  }
  if (output.index < 0 || output.index >= kept(k).num_outputs()) {
    return Internal("partition: ", reader, " reads output ", output.index, " of '", kept(k).name(),
                    "', which has ", kept(k).num_outputs());
  }
  return p_.output_memory(k, output.index);
}

Status Partitioner::ReadInputs(int k) {
  const Node& node = kept(k);
  const std::vector<OutputRef>& inputs = node.inputs();
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
    if (IsRef(node.input_type(i)) && !fed_.contains(inputs[i])) {
      WB_RETURN_IF_ERROR(ReadReference(k, i, inputs[i]));
      continue;
    }
    WB_ASSIGN_OR_RETURN(const Memory from, MemoryOf(inputs[i], node.name()));
    const Memory to = p_.input_memory(k, i);
    if (from == to) continue;
    p_.input_copies[p_.input_begin[k] + i] = CopyTo(inputs[i], from, to, {node.id(), i});
  }
  return OkStatus();
}

// A reference is the variable itself: its reader must be where it is, whatever memory it declares.
Status Partitioner::ReadReference(int k, int input, OutputRef source) {
  WB_ASSIGN_OR_RETURN(const Memory memory, MemoryOf(source, kept(k).name()));
  const int from = p_.device[position_[source.node]];
  if (OwnMemory(from) != OwnMemory(p_.device[k])) {
    return InvalidArgument("node '", kept(k).name(), "' (", kept(k).op_name(), ") on ",
                           devices_[p_.device[k]].ToString(), " takes a reference to '",
                           graph_.node(source.node).name(), "' on ", devices_[from].ToString(),
                           "; a reference cannot be copied: put both on one device");
  }
  p_.input_memories[p_.input_begin[k] + input] = memory;
  return OkStatus();
}

int32_t Partitioner::CopyTo(OutputRef source, Memory from, Memory to, ConsumerUse use) {
  auto [it, added] = copy_of_.try_emplace({source, to}, static_cast<int32_t>(p_.copies.size()));
  if (added) {
    Copy copy;
    copy.source = source;
    copy.from = from;
    copy.to = to;
    copy.kind = from.is_host() ? CopyKind::kHostToDevice
                : to.is_host() ? CopyKind::kDeviceToHost
                               : CopyKind::kPeer;
    p_.copies.push_back(std::move(copy));
  }
  p_.copies[it->second].uses.push_back(use);
  return it->second;
}

}  // namespace

const char* CopyKindName(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return "host to device";
    case CopyKind::kDeviceToHost:
      return "device to host";
    case CopyKind::kPeer:
      return "device to device";
  }
  return "";
}

StatusOr<Partition> PartitionGraph(const Graph& graph, const PlanBounds& bounds,
                                   Span<const Site> sites, Span<const DeviceName> devices,
                                   const KernelCatalog& catalog) {
  return Partitioner(graph, bounds, sites, devices, catalog).Run();
}

std::string DescribePartition(const Graph& graph, Span<const NodeId> kept,
                              Span<const DeviceName> devices, const Partition& partition) {
  const auto memory = [&](Memory m) {
    return m.is_host() ? std::string("host memory") : devices[m.device()].ToString();
  };
  std::string text;
  for (size_t k = 0; k < kept.size(); ++k) {
    absl::StrAppend(&text, graph.node(kept[k]).name(), " on ",
                    devices[partition.device[k]].ToString(), "\n");
  }
  for (const Copy& copy : partition.copies) {
    absl::StrAppend(&text, "# copy of ", graph.node(copy.source.node).name(), ":",
                    copy.source.index, " from ", memory(copy.from), " to ", memory(copy.to),
                    " for ", copy.uses.size(), " uses\n");
  }
  return text;
}

}  // namespace warpbeam
