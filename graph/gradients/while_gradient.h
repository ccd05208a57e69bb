// WhileGradient: the gradient of While and StatelessWhile.
//
// The loop is widened (widen_node.h) by a counter and by a TensorList for every tensor of the body
// that its gradient reads and that is not the same in all iterations; each iteration pushes its
// own. So the loop runs once. A second While takes the lists' elements from the back and runs the
// gradient of the body (differentiated_body.h) with them. What is there already, of an earlier
// gradient or as a counter that the loop has anyway, is not added again.
//
//   WB_GRADIENT("While", WhileGradient);
//
// Thread safety: that of the graph. Errors: those of differentiated_body.h; UNIMPLEMENTED for
// resources that differ from one iteration to the next.
#ifndef WARPBEAM_GRAPH_GRADIENTS_WHILE_GRADIENT_H_
#define WARPBEAM_GRAPH_GRADIENTS_WHILE_GRADIENT_H_

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

Status WhileGradient(GradContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_WHILE_GRADIENT_H_
