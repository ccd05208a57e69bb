// Callees: what nodes and the bodies of library functions call.
//
//   for (const std::string& name : CalleesOf(*library.Find("f"))) …
//   VisitBodies(library, CalledFunctions(library, node.op_name(), node.attrs()),
//               [&](const NodeSpec& inner) { return !(found = IsStateful(inner)); });
//
// A node calls what it is named after, as an op, and what its attributes hold. Ownership: values.
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_
#define WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_

#include <functional>
#include <string>
#include <vector>

#include "graph/functions/function_library.h"

namespace warpbeam {

// The names of its nodes' ops and of the functions in their attributes, in their order and with
// repetitions. Not all of them need be functions of a library.
std::vector<std::string> CalleesOf(const Function& function);

// The functions that a node calls, by itself or through an attribute.
std::vector<FunctionRef> CalledFunctions(const FunctionLibrary& library, const std::string& op,
                                         const AttrMap& attrs);

// Calls visit(node) for the nodes of the functions and of what those call, each function once and
// without recursion, until it returns false. Functions that the library lacks are passed over.
void VisitBodies(const FunctionLibrary& library, std::vector<FunctionRef> functions,
                 const std::function<bool(const NodeSpec& node)>& visit);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_CALLEES_H_
