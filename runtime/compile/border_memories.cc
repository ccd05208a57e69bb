#include "runtime/compile/border_memories.h"

#include <utility>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

CopyKind KindOf(Memory from, Memory to) {
  if (from.is_host()) return CopyKind::kHostToDevice;
  return to.is_host() ? CopyKind::kDeviceToHost : CopyKind::kPeer;
}

}  // namespace

// Who reads a feed or a fetch's source gets a copy from where it really is to where it is wanted;
// the copies that the partition had made for them are dropped.
void PlaceBorders(const Graph& graph, const std::vector<NodeId>& order,
                  const std::vector<OutputRef>& feeds, const std::vector<Memory>& feed_memories,
                  const std::vector<OutputRef>& fetches, const std::vector<Memory>& fetch_memories,
                  Partition* partition) {
  if (feed_memories.empty() && fetch_memories.empty()) return;
  Partition& p = *partition;
  absl::flat_hash_map<OutputRef, Memory> fed;
  for (size_t i = 0; i < feeds.size(); ++i) {
    fed.insert_or_assign(feeds[i], feed_memories.empty() ? Memory::Host() : feed_memories[i]);
  }
  absl::flat_hash_map<NodeId, int> position;
  for (size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<int>(k);
  std::vector<Copy> copies;
  absl::flat_hash_map<std::pair<OutputRef, Memory>, int32_t> copy_of;
  const auto copy_to = [&](OutputRef source, Memory from, Memory to, ConsumerUse use) {
    if (from == to) return int32_t{-1};
    auto [it, added] = copy_of.try_emplace({source, to}, static_cast<int32_t>(copies.size()));
    if (added) copies.push_back({source, from, to, KindOf(from, to), {}});
    copies[it->second].uses.push_back(use);
    return it->second;
  };
  for (size_t k = 0; k < order.size(); ++k) {
    const Node& node = graph.node(order[k]);
    const std::vector<OutputRef>& inputs = node.inputs();
    for (int i = 0; i < p.num_inputs(static_cast<int>(k)); ++i) {
      int32_t& copy = p.input_copies[p.input_begin[k] + i];
      const auto feed = fed.find(inputs[i]);
      const Memory to = p.input_memory(static_cast<int>(k), i);
      if (feed != fed.end()) {
        copy = copy_to(inputs[i], feed->second, to, {node.id(), i});
      } else if (copy >= 0) {
        copy = copy_to(inputs[i], p.copies[copy].from, to, {node.id(), i});
      }
    }
  }
  for (size_t i = 0; i < fetches.size(); ++i) {
    const auto feed = fed.find(fetches[i]);
    const Memory from = feed != fed.end()
                            ? feed->second
                            : p.output_memory(position[fetches[i].node], fetches[i].index);
    const Memory to = fetch_memories.empty() ? Memory::Host() : fetch_memories[i];
    p.fetch_copies[i] = copy_to(fetches[i], from, to, {kNoNode, static_cast<int32_t>(i)});
  }
  p.copies = std::move(copies);
}

}  // namespace warpbeam
