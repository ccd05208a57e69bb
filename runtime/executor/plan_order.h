// The part of a graph that a plan runs, in a topological order.
//
//   WB_ASSIGN_OR_RETURN(std::vector<NodeId> order, OrderNodes(graph, kept, extra));
//
// Thread safety: pure functions. Errors: INVALID_ARGUMENT naming the nodes of a cycle.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_PLAN_ORDER_H_
#define WARPBEAM_RUNTIME_EXECUTOR_PLAN_ORDER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"
#include "placement/average.h"

namespace warpbeam {

// What stands in for the inputs of some nodes: recognised averages by result.
using AverageIndex = absl::flat_hash_map<NodeId, const AverageMatch*>;

// The kept nodes without those that averages replace, producers first, otherwise by id.
absl::StatusOr<std::vector<NodeId>> OrderNodes(const Graph& graph, const std::vector<NodeId>& kept,
                                               const absl::flat_hash_set<OutputRef>& feeds,
                                               const AverageIndex& averages);

// A kernel's rough cost for each element of its inputs.
int64_t CostPerElementNs(const std::string& op);
// A rough cost of a node in nanoseconds from what is known of its shapes; large when nothing is.
int64_t EstimateCostNs(const Graph& graph, const Node& node);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_PLAN_ORDER_H_
