// FoldConstants: what depends on constants alone is computed once, when the plan is compiled.
//
// A node with constant inputs, without state or effect, is evaluated and becomes a Const (or, with
// several outputs, a _Constants). So does what only asks for a shape that is known and does not
// follow from a feed: Shape, ShapeN, Size and Rank. Whatever the evaluator refuses stays as it is
// and says so when it runs.
//
//   FoldLimits limits;
//   pipeline.Add("fold", [&](GraphPart* part) { return FoldConstants(part, evaluate, limits); });
//
// Nothing large is made of something small: see FoldLimits. The work is bounded by bytes, so that
// the same graph always folds in the same way.
//
// Thread safety: as the evaluator. Errors: none of its own.
#ifndef WARPBEAM_GRAPH_PASSES_FOLD_CONSTANTS_H_
#define WARPBEAM_GRAPH_PASSES_FOLD_CONSTANTS_H_

#include <functional>
#include <vector>

#include "graph/passes/pass_pipeline.h"

namespace warpbeam {

// The outputs of a node for given inputs, in host memory; UNIMPLEMENTED for a node that it does not
// evaluate. This is how graph/, which knows no kernels, gets values.
using Evaluator = std::function<StatusOr<std::vector<Tensor>>(const Node& node,
                                                              const std::vector<Tensor>& inputs)>;

struct FoldLimits {
  // A result may be as large as the node's inputs together, and always this large.
  int64_t free_bytes = 64 << 10;
  int64_t most_bytes = 16 << 20;  // of one node's inputs and results
  int64_t all_bytes = 256 << 20;  // of all that is evaluated
};

Status FoldConstants(GraphPart* part, const Evaluator& evaluate, const FoldLimits& limits);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_FOLD_CONSTANTS_H_
