// Rough costs of nodes, for grouping them into tasks: from shapes alone, so that the same graph
// always gives the same plan.
//
//   const int64_t ns = EstimateCostNs(graph, node);
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_RUNTIME_EXECUTOR_COST_ESTIMATE_H_
#define WARPBEAM_RUNTIME_EXECUTOR_COST_ESTIMATE_H_

#include <string>

#include "graph/graph.h"

namespace warpbeam {

// A kernel's rough cost for each element of its inputs.
int64_t CostPerElementNs(const std::string& op);
// A rough cost of a node in nanoseconds from what is known of its shapes; large when nothing is.
int64_t EstimateCostNs(const Graph& graph, const Node& node);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_COST_ESTIMATE_H_
