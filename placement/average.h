// The recognised gradient average: the subgraphs that towers write to average their gradients,
// found so that the runtime can run each of them as one reduction without a concatenated buffer.
//
// Three spellings are recognised, over N inputs of one floating dtype and one known shape:
//
//   ExpandDims(g_i, 0) x N -> ConcatV2 or Concat (axis 0) -> Mean(axis 0, keep_dims = false)
//   Pack(g_0 … g_N-1, axis 0)                             -> Mean(axis 0, keep_dims = false)
//   AddN(g_0 … g_N-1)                                     -> RealDiv, Div or Mul by a scalar
//   constant
//
// A match is refused where the result could be told from the original: an intermediate that
// somebody else reads, that is fed, fetched or a target; an axis other than 0 or not constant;
// differing or unknown dtypes or shapes; an input or a dependency that may be dead in a step (below
// a Switch whose branches no Merge has joined, or in a loop). AddN of half or bfloat16 is left
// alone, because it rounds after each addition, and so is AddN of doubles by a scalar that no float
// equals.
//
//   std::vector<AverageMatch> averages =
//       FindAverages(graph, {kept, feeds, fetches, targets}, consumers);
//   // per match: `result` becomes one node that reads `inputs`; the nodes `replaced` do not run
//
// Shapes are compared as far as shape inference knows them; the reduction compares them again when
// it runs, since a fed tensor may have any shape.
//
// Thread safety: a pure function. Errors: none; what is not recognised stays as it is.
#ifndef WARPBEAM_PLACEMENT_AVERAGE_H_
#define WARPBEAM_PLACEMENT_AVERAGE_H_

#include <vector>

#include "graph/graph.h"
#include "graph/types/span.h"

namespace warpbeam {

// The part of a graph that one plan runs.
struct PlanBounds {
  Span<const NodeId> kept;  // what pruning left
  Span<const OutputRef> feeds;
  Span<const OutputRef> fetches;
  Span<const NodeId> targets;
};

struct AverageMatch {
  // Divide: sum / factor, as Mean and RealDiv do. Multiply: sum * factor.
  enum class Scaling : uint8_t { kDivide, kMultiply };

  NodeId result = kNoNode;  // the node whose output 0 is the average; keeps name and consumers
  std::vector<OutputRef> inputs;  // to be added up in this order
  Scaling scaling = Scaling::kDivide;
  double factor = 1;  // exactly a float, as the reduction takes it
  // The nodes that need not run any more: intermediates, and constants that only they read.
  std::vector<NodeId> replaced;
  // Control inputs of `replaced` that `result` must now wait for, beside its own.
  std::vector<NodeId> control_inputs;
  // The only consumer, when it updates a variable in place: the reduction belongs on its device.
  NodeId updates = kNoNode;
};

// Whether a node of this op may be the `result` of one: without any there is nothing to find.
bool MayEndAverage(const OpSchema& op);
std::vector<AverageMatch> FindAverages(const Graph& graph, const PlanBounds& bounds,
                                       const Consumers& consumers);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_AVERAGE_H_
