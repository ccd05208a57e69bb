// PartBounds: which nodes a part runs, which of them are fed, and which it is run for.
//
//   const PartBounds bounds(*part);
//   if (bounds.IsFed(id) || bounds.IsWanted(id)) …         // is there, or is looked at
//
// As the part was when they were made. Ownership: keeps ids only. Thread safety: immutable. Errors:
// none.
#ifndef WARPBEAM_GRAPH_PASSES_PART_BOUNDS_H_
#define WARPBEAM_GRAPH_PASSES_PART_BOUNDS_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

class PartBounds {
 public:
  explicit PartBounds(const GraphPart& part) : runs_(part.graph->num_nodes(), false) {
    for (const NodeId id : part.nodes) runs_[id] = true;
    for (const OutputRef feed : part.feeds) fed_.insert(feed.node);
    for (const OutputRef fetch : part.fetches) {
      wanted_.insert(fetch.node);
      if (fetch.index > 0) fetched_beyond_first_.insert(fetch.node);
    }
    wanted_.insert(part.targets.begin(), part.targets.end());
  }

  bool Runs(NodeId id) const { return runs_[id]; }
  bool IsFed(NodeId id) const { return fed_.contains(id); }
  // Fetched, or a target.
  bool IsWanted(NodeId id) const { return wanted_.contains(id); }
  // Whether another output than its first is fetched.
  bool IsFetchedBeyondFirst(NodeId id) const { return fetched_beyond_first_.contains(id); }

 private:
  std::vector<bool> runs_;
  absl::flat_hash_set<NodeId> fed_;
  absl::flat_hash_set<NodeId> wanted_;
  absl::flat_hash_set<NodeId> fetched_beyond_first_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_PART_BOUNDS_H_
