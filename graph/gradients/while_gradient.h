// WhileGradient: the gradient of While and StatelessWhile.
//
// The loop is run once more, with a counter and a TensorList for every loop variable that changes;
// each iteration pushes what it begins with. A second While takes the lists' elements from the back
// and calls the gradient function of the body (function_gradient.h) with them.
//
//   WB_GRADIENT("While", WhileGradient);
//
// Thread safety: that of the graph. Errors: those of function_gradient.h; UNIMPLEMENTED for
// resources that change from one iteration to the next.
#ifndef WARPBEAM_GRAPH_GRADIENTS_WHILE_GRADIENT_H_
#define WARPBEAM_GRAPH_GRADIENTS_WHILE_GRADIENT_H_

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

absl::Status WhileGradient(GradContext& c);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_WHILE_GRADIENT_H_
