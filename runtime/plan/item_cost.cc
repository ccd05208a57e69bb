#include "runtime/plan/item_cost.h"

#include <algorithm>

namespace warpbeam {
namespace {

// Operations per element of a product.
constexpr int64_t kOfAProduct = 20;

}  // namespace

ItemCost ItemCost::Estimate(const Graph& graph, const Node& node) {
  constexpr int64_t kMostElements = kMostNs / kOfAProduct - 1;
  int64_t elements = 0;
  const auto add = [&](const Node& n, int output) {
    const int64_t count = n.output_shape(output).num_elements();
    if (count < 0) return false;
    elements = std::min(elements + std::min(count, kMostElements), kMostElements);
    return true;
  };
  for (OutputRef in : node.inputs()) {
    if (in.node == kNoNode || !add(graph.node(in.node), in.index)) return Unknown();
  }
  for (int o = 0; o < node.num_outputs(); ++o) {
    if (!add(node, o)) return Unknown();
  }
  // A product's operations per element of its largest operand are bounded by the other's extents.
  if (node.op().cost_class != CostClass::kElements) return ItemCost(kOfAProduct * elements);
  return ItemCost(kDeclaredCheapNs + elements);
}

int64_t CostPerElementNs(const OpSchema& op) {
  return op.cost_class == CostClass::kElements ? 1 : kOfAProduct;
}

}  // namespace warpbeam
