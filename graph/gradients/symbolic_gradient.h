// InstantiateGradient: the body of SymbolicGradient, the op that differentiates a function when it
// is called.
//
// Its arguments are those of the function and then the gradients of all results; its results are
// the gradients of all arguments (zeros for those that have none). A gradient function that the
// library names for the function is used instead of the function's own derivative.
//
//   WB_ASSIGN_OR_RETURN(InstantiatedFunction g, InstantiateGradient(library, {"f", attrs}, ops));
//
// Ownership, thread safety: as InstantiateFunction. Errors: those of InstantiateFunction and
// AddGradients.
#ifndef WARPBEAM_GRAPH_GRADIENTS_SYMBOLIC_GRADIENT_H_
#define WARPBEAM_GRAPH_GRADIENTS_SYMBOLIC_GRADIENT_H_

#include "graph/functions/instantiate.h"

namespace warpbeam {

StatusOr<InstantiatedFunction> InstantiateGradient(const FunctionLibrary& library,
                                                   const FunctionRef& function,
                                                   const OpRegistry& ops);

// The same where `function` is "SymbolicGradient" with the attribute f, else InstantiateFunction.
StatusOr<InstantiatedFunction> InstantiateCallable(const FunctionLibrary& library,
                                                   const FunctionRef& function,
                                                   const OpRegistry& ops);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_GRADIENTS_SYMBOLIC_GRADIENT_H_
