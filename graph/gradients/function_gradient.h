// Gradients of calls of library functions: the gradient of a function is another function.
//
// The new function takes the arguments and the gradients of the floating results, computes the
// results once more, and returns them and then the gradients of the floating arguments and of the
// variables among the arguments (resources that are known to refer to floating values).
//
//   WB_ASSIGN_OR_RETURN(FunctionGradient g, AddGradientFunction(graph, FunctionRef{"f", attrs},
//   {}));
//
// Thread safety: that of the graph. Errors: those of AddGradients, naming the function;
// UNIMPLEMENTED for functions that change state, which calling twice would change twice.
#ifndef WARPBEAM_GRAPH_GRADIENTS_FUNCTION_GRADIENT_H_
#define WARPBEAM_GRAPH_GRADIENTS_FUNCTION_GRADIENT_H_

#include <string>
#include <vector>

#include "graph/gradients/gradient_registry.h"

namespace warpbeam {

struct FunctionGradient {
  std::string name;
  std::vector<DType> types;  // of all that it returns
  std::vector<int> results;  // of the first function: those whose gradients it takes
  std::vector<int> args;     // of the first function: those whose gradients it returns
  int first_gradient = 0;    // among what it returns
};

// `handles`: what is known of the arguments that are resources; may be shorter than the arguments.
absl::StatusOr<FunctionGradient> AddGradientFunction(Graph& graph, const FunctionRef& function,
                                                     const std::vector<HandleShapes>& handles);

// What is known of the resources among a node's inputs from `first_input` on.
std::vector<HandleShapes> InputHandles(const GradContext& c, int first_input);

// Zeros shaped like the value of the variable that `handle` refers to.
absl::StatusOr<OutputRef> ZerosOfVariable(Graph& graph, OutputRef handle, DType type);

// Adds to the library a function with the body given, under `name` or a name made of it.
absl::StatusOr<std::string> AddFunction(Graph& graph, const Graph& body, const std::string& name);

// The gradient of a node that passes its inputs from `first_input` on to one of `functions`, all of
// one signature. `call` is the op that calls the gradient functions; it takes the inputs before
// `first_input` unchanged. `set_functions` names them in its attributes.
absl::Status CallGradient(GradContext& c, const std::vector<FunctionRef>& functions,
                          int first_input, absl::string_view call,
                          void (*set_functions)(std::vector<FunctionRef> gradients,
                                                AttrMap* attrs));

// The same for a call of one function, by whatever op. A gradient function that the library names
// for it is called instead.
absl::Status PlainCallGradient(GradContext& c, const FunctionRef& function);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_FUNCTION_GRADIENT_H_
