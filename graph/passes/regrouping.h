// Regroupings: nodes that hand on the elements of an input in their order and only see them in
// another shape, such as Reshape, or a Slice that takes everything.
//
//   const int i = RegroupedInput(graph, node, ints_of);
//   if (i >= 0 && Elements(node.input(i)) == Elements({node.id(), 0})) …    // nothing has changed
//
// Several ops regroup only where they keep the number of elements, which the caller looks at: a
// sum over dimensions of 1, a slice of all, paddings of 0.
//
// Thread safety: pure. Errors: none; -1 for other nodes and where constants that decide are not
// known.
#ifndef WARPBEAM_GRAPH_PASSES_REGROUPING_H_
#define WARPBEAM_GRAPH_PASSES_REGROUPING_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "graph/graph.h"

namespace warpbeam {

// The elements of a constant of integers that is not fed, or nothing.
using IntsOf = absl::FunctionRef<std::optional<std::vector<int64_t>>(OutputRef)>;

int RegroupedInput(const Graph& graph, const Node& node, IntsOf ints_of);

// Whether `permutation` holds each of 0 … size - 1 once.
bool IsPermutation(const std::vector<int64_t>& permutation);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_REGROUPING_H_
