// ItemCost: roughly what an item of a plan costs, for grouping items into tasks. From shapes alone,
// or from what a profile measured, so that the same graph always gives the same plan.
//
//   const ItemCost cost = ItemCost::Estimate(graph, node);
//   if (cost.deserves_thread()) …
//
// Thread safety: values and pure functions. Errors: none.
#ifndef WARPBEAM_RUNTIME_PLAN_ITEM_COST_H_
#define WARPBEAM_RUNTIME_PLAN_ITEM_COST_H_

#include <algorithm>
#include <cstdint>

#include "graph/graph.h"
#include "runtime/kernel/kernel_context.h"

namespace warpbeam {

// Below this an item is not worth a thread of its own.
inline constexpr int64_t kCheapItemNs = 3'000;

class ItemCost {
 public:
  // Of a plan for one thread, where costs do not matter.
  static constexpr ItemCost None() { return ItemCost(0); }
  // Of a kernel that is declared to be cheap, whatever its inputs.
  static constexpr ItemCost Cheap() { return ItemCost(kDeclaredCheapNs); }
  // Of a copy between memories, whose time is mostly its stream's.
  static constexpr ItemCost Copy() { return ItemCost(5'000); }
  // Of a node whose shapes are not known.
  static constexpr ItemCost Unknown() { return ItemCost(kUnknownNs); }
  static ItemCost Measured(int64_t ns) { return ItemCost(std::min(ns, kMostNs)); }
  // From the node's shapes; Unknown() where they are not known.
  static ItemCost Estimate(const Graph& graph, const Node& node);

  int64_t ns() const { return ns_; }
  bool is_unknown() const { return ns_ == kUnknownNs; }
  bool deserves_thread() const { return ns_ > kCheapItemNs; }
  // Whether larger inputs than were expected make it dearer.
  bool grows_with_inputs() const { return ns_ > kDeclaredCheapNs; }

 private:
  static constexpr int64_t kDeclaredCheapNs = 20;
  static constexpr int64_t kUnknownNs = 1'000'000;
  // Whatever shapes or profiles claim: half an hour, so that the costs of all items add up.
  static constexpr int64_t kMostNs = int64_t{1} << 41;

  explicit constexpr ItemCost(int64_t ns) : ns_(ns) {}

  int64_t ns_;
};

// A kernel's rough cost for each element of its inputs.
int64_t CostPerElementNs(const OpSchema& op);

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

#endif  // WARPBEAM_RUNTIME_PLAN_ITEM_COST_H_
