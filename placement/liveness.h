// Liveness: whether a node may be dead in a step, because a Switch above it sent its token
// elsewhere.
//
// The conditions under which a node runs are the branches of the Switches above it; a Merge of both
// branches of one predicate takes that predicate away again. What follows no such pattern, and
// everything in a loop, counts as possibly dead.
//
//   Liveness liveness(graph, kept, feeds);
//   if (liveness.MayBeDead(output)) …
//
// Ownership: the graph must outlive it. Thread safety: none. Errors: none.
#ifndef WARPBEAM_PLACEMENT_LIVENESS_H_
#define WARPBEAM_PLACEMENT_LIVENESS_H_

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "graph/types/span.h"

namespace warpbeam {

class Liveness {
 public:
  Liveness(const Graph& graph, Span<const NodeId> kept, Span<const OutputRef> feeds);

  // Whether one output may be dead; a fed one is never.
  bool MayBeDead(OutputRef output);
  // Whether a node may be, as the source of a control edge.
  bool MayBeDead(NodeId node);

 private:
  // A set of branches taken, by number; kAlways is the empty set.
  using Conditions = int;
  static constexpr Conditions kAlways = 0;
  static constexpr Conditions kUnknown = -1;
  struct Branch {
    OutputRef predicate;
    bool taken;
    friend bool operator<(const Branch& a, const Branch& b) {
      return std::make_tuple(a.predicate.node, a.predicate.index, a.taken) <
             std::make_tuple(b.predicate.node, b.predicate.index, b.taken);
    }
    friend bool operator==(const Branch& a, const Branch& b) {
      return a.predicate == b.predicate && a.taken == b.taken;
    }
  };

  Conditions OfNode(NodeId node);
  Conditions OfOutput(OutputRef output);  // of producers that are known already
  Conditions Compute(const Node& node);
  Conditions OfMerge(const Node& node);
  Conditions Both(Conditions a, Conditions b);
  Conditions Number(std::vector<Branch> branches);
  OutputRef Predicate(const Node& node) const;
  bool IsReference(OutputRef output) const;
  // Pushes the producers of `node` that are not known yet; false when there are none.
  bool PushProducers(const Node& node, std::vector<NodeId>* stack) const;

  const Graph& graph_;
  bool has_switches_ = false;
  std::vector<bool> kept_;
  const absl::flat_hash_set<OutputRef> fed_;
  absl::flat_hash_map<NodeId, Conditions> known_;
  std::vector<std::vector<Branch>> sets_;
  std::map<std::vector<Branch>, Conditions> numbers_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_LIVENESS_H_
