// LateReads: the readers of a reference variable that see an update made in the same step.
//
// `read = Identity(variable)` takes the variable's value when it runs, and whoever reads `read`
// gets that value, whatever is assigned meanwhile: gradients never see half an update. One thing is
// different: a reader that is ordered after an update, while `read` is not,
//
//   x = Add(read, 1, ^assign_add)
//
// reads the variable anew. TensorFlow's programs count on it, because there `read` and the variable
// share a buffer that updates change in place.
//
//   LateReads late(graph, order);
//   if (late.Contains(x, {read, 0})) …       // x must read what `read` reads, when x runs
//
// Ownership: keeps only its own tables. Thread safety: const access from many threads. Errors:
// none. The search is bounded by kMaxVisits; a graph beyond that has the plain meaning.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_LATE_READS_H_
#define WARPBEAM_RUNTIME_EXECUTOR_LATE_READS_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"

namespace warpbeam {

class LateReads {
 public:
  static constexpr int64_t kMaxVisits = 20'000'000;

  // `order`: the nodes of a plan.
  LateReads(const Graph& graph, const std::vector<NodeId>& order);

  // Whether `reader` must read the variable behind `read` instead.
  bool Contains(NodeId reader, OutputRef read) const {
    return !late_.empty() && late_.contains({reader, read.node});
  }
  bool empty() const { return late_.empty(); }

 private:
  struct Accesses {
    std::vector<NodeId> reads;    // Identity nodes
    std::vector<NodeId> updates;  // nodes that take the reference
  };
  using ByVariable = absl::flat_hash_map<NodeId, Accesses>;
  static ByVariable FindAccesses(const Graph& graph, const std::vector<NodeId>& order);

  absl::flat_hash_set<std::pair<NodeId, NodeId>> late_;  // reader, read
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_LATE_READS_H_
