// Partition: which tensors must be copied between memories for a placed graph to run, as plain
// data.
//
// A tensor lies in host memory (of the process, shared by all its CPU devices) or in one GPU's own
// memory. A node on a CPU reads and writes host memory; a node on a GPU the GPU's, except arguments
// that its kernel declares to be in host memory and tensors of strings, resources and variants.
// Feeds come from host memory and fetches go there. An output that a consumer needs in another
// memory gets one Copy per destination memory, however many consumers there are; the executor runs
// a copy as a node of its own, after its producer and before its uses. Between CPU:0 and CPU:1
// nothing is copied.
//
//   WB_ASSIGN_OR_RETURN(Partition p, PartitionGraph(graph, bounds, graph.sites(),
//                                                   placer.devices(), catalog));
//   const int c = p.input_copy(k, i);     // -1: straight from the producer, else of p.copies
//
// Thread safety: a pure function; the result is a value. Errors:
// INVALID_ARGUMENT naming both nodes when a reference would have to cross memories; INTERNAL when a
// kept node is not placed or an input comes from a node that is not kept.
#ifndef WARPBEAM_PLACEMENT_PARTITION_H_
#define WARPBEAM_PLACEMENT_PARTITION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/types/span.h"
#include "placement/average.h"
#include "placement/device_name.h"
#include "placement/kernel_catalog.h"

namespace warpbeam {

// A memory: the host's, or that of a GPU. It is no number of a device or a lane, and none of a site
// where a part was cut by tasks.
class Memory {
 public:
  static constexpr Memory Host() { return Memory(-1); }
  // `device`: a GPU's number in the list of devices.
  static constexpr Memory Of(int device) { return Memory(device); }
  constexpr bool is_host() const { return device_ < 0; }
  // Not of the host's.
  constexpr int device() const { return device_; }

  friend constexpr bool operator==(Memory a, Memory b) { return a.device_ == b.device_; }
  friend constexpr bool operator!=(Memory a, Memory b) { return a.device_ != b.device_; }
  template <typename H>
  friend H AbslHashValue(H h, Memory m) {
    return H::combine(std::move(h), m.device_);
  }

 private:
  constexpr explicit Memory(int device) : device_(device) {}
  int32_t device_;
};

enum class CopyKind : uint8_t { kHostToDevice, kDeviceToHost, kPeer };
const char* CopyKindName(CopyKind kind);  // "host to device"…

// Who reads a copy: input `input` of `node`, or fetch number `input` when `node` is kNoNode.
struct ConsumerUse {
  NodeId node = kNoNode;
  int32_t input = 0;
  friend bool operator==(ConsumerUse a, ConsumerUse b) {
    return a.node == b.node && a.input == b.input;
  }
};

struct Copy {
  OutputRef source;  // of a node, or a feed
  Memory from = Memory::Host();
  Memory to = Memory::Host();
  CopyKind kind = CopyKind::kHostToDevice;
  std::vector<ConsumerUse> uses;  // in the order of the kept nodes, fetches last
};

// Index k is a position in `bounds.kept`.
struct Partition {
  std::vector<int> device;  // of kept node k
  std::vector<Copy> copies;
  std::vector<int32_t> fetch_copies;  // per fetch: an index into copies, or -1

  // The copy that input i of kept node k reads, or -1 for the producer's own output.
  int32_t input_copy(int k, int i) const { return input_copies[input_begin[k] + i]; }
  int num_inputs(int k) const { return input_begin[k + 1] - input_begin[k]; }
  // Where kept node k wants input i and leaves output i.
  Memory input_memory(int k, int i) const { return input_memories[input_begin[k] + i]; }
  Memory output_memory(int k, int i) const { return output_memories[output_begin[k] + i]; }

  std::vector<int32_t> input_begin;  // flat arrays behind the accessors
  std::vector<int32_t> output_begin;
  std::vector<int32_t> input_copies;
  std::vector<Memory> input_memories;
  std::vector<Memory> output_memories;
};

StatusOr<Partition> PartitionGraph(const Graph& graph, const PlanBounds& bounds,
                                   Span<const Site> sites, Span<const DeviceName> devices,
                                   const KernelCatalog& catalog);

// A line for each kept node, and one for each copy.
std::string DescribePartition(const Graph& graph, Span<const NodeId> kept,
                              Span<const DeviceName> devices, const Partition& partition);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_PARTITION_H_
