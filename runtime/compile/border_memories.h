// Feeds that lie on devices and fetches that are left there: a partition's copies, changed
// accordingly. PartitionGraph takes both to be in host memory.
//
//   PlaceBorders(graph, order, feeds, feed_memories, fetches, fetch_memories, &partition);
//
// Thread safety: pure. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_BORDER_MEMORIES_H_
#define WARPBEAM_RUNTIME_COMPILE_BORDER_MEMORIES_H_

#include <vector>

#include "placement/partition.h"

namespace warpbeam {

// `order`: the kept nodes as the partition numbers them. Memories: one for each feed or
// fetch; none at all: everything is in host memory.
void PlaceBorders(const Graph& graph, const std::vector<NodeId>& order,
                  const std::vector<OutputRef>& feeds, const std::vector<Memory>& feed_memories,
                  const std::vector<OutputRef>& fetches, const std::vector<Memory>& fetch_memories,
                  Partition* partition);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_BORDER_MEMORIES_H_
