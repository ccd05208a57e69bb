// Callees: what the body of a library function calls.
//
//   for (const std::string& name : CalleesOf(*library.Find("f"))) …
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

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_
