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
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Below this an item is not worth a thread of its own.
inline constexpr int64_t kCheapItemNs = 3'000;

// What EstimateCostNs says when shapes are not known.
inline constexpr int64_t kUnknownCostNs = 1'000'000;
// Whatever shapes or profiles claim: half an hour, so that the costs of all items add up.
inline constexpr int64_t kMostCostNs = int64_t{1} << 41;

// A kernel's rough cost for each element of its inputs.
int64_t CostPerElementNs(const std::string& op);
// A rough cost of a node in nanoseconds from its shapes; kUnknownCostNs when they are not known.
int64_t EstimateCostNs(const Graph& graph, const Node& node);

// What an item reads, as far as it is there: more than anything that was known of shapes.
inline int64_t CountInputElements(const KernelContext::NodeInfo& item, const Slot* slots) {
  int64_t elements = 0;
  for (int32_t i = 0; i < item.num_inputs; ++i) {
    const Tensor& value = slots[item.input_slots[i]].value;
    if (value.has_value()) elements += value.num_elements();
  }
  return elements;
}

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EXECUTOR_COST_ESTIMATE_H_
