// Gradients of calls of library functions: the gradient of a function is another function.
//
// It takes what it needs of the first function's arguments, results and intermediate tensors, and
// the gradients of the results, and returns the gradients of the arguments (of variables that are
// passed as resources, too). The node that calls the first function is widened (widen_node.h) by
// the intermediate tensors, so that the function runs once.
//
//   WB_RETURN_IF_ERROR(PlainCallGradient(c, FunctionRef{"f", attrs}));
//
// Thread safety: that of the graph. Errors: those of AddGradients, naming the function;
// UNIMPLEMENTED for functions that change state and would have to run twice
// (differentiated_body.h).
#ifndef WARPBEAM_GRAPH_GRADIENTS_FUNCTION_GRADIENT_H_
#define WARPBEAM_GRAPH_GRADIENTS_FUNCTION_GRADIENT_H_

#include <string>
#include <vector>

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

// What is known of the resources and lists among a node's inputs from `first_input` on.
std::vector<HandleShapes> InputHandles(const GradContext& c, int first_input);

// The gradient of a node that passes its inputs from `first_input` on to one of `functions`, all of
// one signature. `call` is the op that calls the gradient functions; it takes the inputs before
// `first_input` unchanged. `set_functions` names functions in the attributes of such a call, or of
// the node itself.
Status CallGradient(GradContext& c, const std::vector<FunctionRef>& functions, int first_input,
                    absl::string_view call,
                    void (*set_functions)(std::vector<FunctionRef> functions, AttrMap* attrs));

// The same for a call of one function, by whatever op. A gradient function that the library names
// for it is called instead.
Status PlainCallGradient(GradContext& c, const FunctionRef& function);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_FUNCTION_GRADIENT_H_
