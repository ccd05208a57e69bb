// LoopGradient: the gradient of a whole v1 loop, from its Exits to its Enters.
//
// The backward loop carries the gradient of every loop variable; the gradient of what stays the
// same in all iterations is summed up (slices: put one after the other) over them.
//
//   WB_ASSIGN_OR_RETURN(LoopGradients dx, LoopGradient(&walk, loop, parent));
//   dx[loop.variables[0].enter][0] …
//
// Thread safety: that of the graph. Errors: UNIMPLEMENTED for second derivatives, which would need
// the values that the first backward loop took from its stacks; those of the body's ops.
#ifndef WARPBEAM_GRAPH_GRADIENTS_LOOP_GRADIENT_H_
#define WARPBEAM_GRAPH_GRADIENTS_LOOP_GRADIENT_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/gradients/backward_loop.h"

namespace warpbeam {

// By Enter: what flows into its input, in one part for each loop variable that begins with it.
using LoopGradients = absl::flat_hash_map<NodeId, std::vector<GradientValue>>;

// What flows into the loop's Exits is in `walk`; `parent` is the backward loop around this one, or
// null.
StatusOr<LoopGradients> LoopGradient(WalkState* walk, const ForwardLoop& loop,
                                     BackwardLoop* parent);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_LOOP_GRADIENT_H_
