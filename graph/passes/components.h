// Components: the strongly connected components of a part of a graph, in topological order.
//
// Two nodes are in one component when each of them comes after the other: the nodes of a v1 loop
// with its back edges. All other nodes are components of their own. Fed outputs order nothing.
//
//   const Components components(graph, nodes, fed);
//   for (const NodeId id : components.order()) … components.of(id) …
//
// Ownership: keeps ids only; linear in the size of the part, without recursion. Thread safety:
// const access from many threads. Errors: none.
#ifndef WARPBEAM_GRAPH_PASSES_COMPONENTS_H_
#define WARPBEAM_GRAPH_PASSES_COMPONENTS_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/graph.h"
#include "graph/passes/fed_outputs.h"
#include "graph/types/span.h"

namespace warpbeam {

class Components {
 public:
  Components(const Graph& graph, Span<const NodeId> nodes, const FedOutputs& fed);

  // The nodes, those of one component side by side, each component after all that lead to it.
  const std::vector<NodeId>& order() const { return order_; }
  // Components are numbered in the same order; -1 for a node that is not of the part.
  int32_t of(NodeId id) const { return component_of_[id]; }
  int32_t size() const { return static_cast<int32_t>(is_cyclic_.size()); }
  // Whether its nodes come after themselves.
  bool IsCyclic(int32_t component) const { return is_cyclic_[component]; }

  // fn(node) for each node of the part that comes right before `id`; some come more than once.
  void ForPredecessors(NodeId id, absl::FunctionRef<void(NodeId)> fn) const;

 private:
  class Search;
  // The i-th predecessor; kNoNode after the last, -2 for one that is fed or not of the part.
  NodeId Predecessor(NodeId id, int32_t i) const;

  const Graph& graph_;
  const FedOutputs& fed_;
  std::vector<NodeId> order_;
  std::vector<int32_t> component_of_;  // by node
  std::vector<bool> is_cyclic_;        // by component
};

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_COMPONENTS_H_
