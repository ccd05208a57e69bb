// NodeCost: how much work a node is, from its op's declaration and its shapes alone: operations and
// bytes, whatever device does it.
//
//   const NodeCost cost = CostOf(graph, node, /*unknown_extent=*/32);
//   cost.flops, cost.bytes, cost.assumed   // 2·m·k·n of a product, what it reads and writes
//
// Products and convolutions count a multiplication and an addition for each term of their sums;
// everything else counts one operation for each element of its largest operand, and lives by its
// bytes. What only hands on its input, and what a plan has before a step begins (constants,
// variables), is no work. An extent that shape inference does not know counts as `unknown_extent`,
// and a shape of which nothing is known as one such extent.
//
// Bodies of functions are not looked into: a call costs what it is handed and hands back.
// docs/placement_search.md has the formulas and where they come from.
//
// Thread safety: values and pure functions. Errors: none; figures grow no further than a double's.
#ifndef WARPBEAM_PLACEMENT_COST_NODE_COST_H_
#define WARPBEAM_PLACEMENT_COST_NODE_COST_H_

#include <cstdint>

#include "graph/graph.h"

namespace warpbeam {

inline constexpr int64_t kDefaultUnknownExtent = 32;

struct NodeCost {
  CostClass cost_class = CostClass::kElements;
  double flops = 0;
  double bytes = 0;      // read and written
  bool assumed = false;  // some extent was not known

  bool is_work() const { return flops > 0 || bytes > 0; }
};

NodeCost CostOf(const Graph& graph, const Node& node, int64_t unknown_extent);

// The bytes of one output; `*assumed`, which may be null, is set where an extent was not known.
// Handles have none; a string counts as its object.
double OutputBytes(const Node& node, int output, int64_t unknown_extent, bool* assumed);
// The bytes of the state that a handle or a reference stands for, as far as shapes tell.
double StateBytes(const Node& node, int output, int64_t unknown_extent, bool* assumed);

// The input that an output shares its buffer with, or -1: what only hands a value on copies
// nothing.
int SharedInput(const Graph& graph, const Node& node, int output);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_COST_NODE_COST_H_
