// Callees: what the body of a library function calls.
//
//   for (const std::string& name : CalleesOf(*library.Find("f"))) …
//   WB_ASSIGN_OR_RETURN(auto body, InstantiateFunction(WithCallees(library, "f"), ref, ops));
//
// A node calls what it is named after, as an op, and what its attributes hold. Ownership: values.
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_
#define WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_

#include <string>
#include <vector>

#include "graph/functions/function_library.h"

namespace warpbeam {

// The names of its nodes' ops and of the functions in their attributes, in their order and with
// repetitions. Not all of them need be functions of a library.
std::vector<std::string> CalleesOf(const Function& function);

// The function, if the library has it, with those that it calls itself: all that its body's graph
// looks up. A copy of the whole library costs its size for each of its functions.
FunctionLibrary WithCallees(const FunctionLibrary& library, const std::string& function);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_
