// Instantiation: a library function with given attributes as a Graph of its own.
//
// Placeholders in the body's attributes take the values given; each argument becomes an `_Arg` node
// named after it; results are the outputs that the function returns. Functions that the body calls
// stay calls. A body's nodes may stand in any order.
//
//   WB_ASSIGN_OR_RETURN(InstantiatedFunction f, InstantiateFunction(library, {"double_it", attrs},
//   ops)); f.graph->node(f.args[0]).op_name() == "_Arg";   f.results[0]
//
// Ownership: the result owns its graph, which holds a copy of the library (a map of pointers).
// Thread safety: a pure function. Errors: NOT_FOUND for an unknown function or op; INVALID_ARGUMENT
// for attributes, inputs or results that do not fit, naming function and node.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_INSTANTIATE_H_
#define WARPBEAM_GRAPH_FUNCTIONS_INSTANTIATE_H_

#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace warpbeam {

struct InstantiatedFunction {
  std::unique_ptr<Graph> graph;
  std::vector<NodeId> args;  // one _Arg node per argument tensor
  std::vector<OutputRef> results;
  std::vector<DType> result_types;
  // Nodes that must run even if no result needs them: control returns and stateful nodes.
  std::vector<NodeId> effects;
};

absl::StatusOr<InstantiatedFunction> InstantiateFunction(const FunctionLibrary& library,
                                                         const FunctionRef& function,
                                                         const OpRegistry& ops);

// The attributes of a body's node with placeholders replaced by values of `attrs`.
absl::StatusOr<AttrMap> SubstitutePlaceholders(const AttrMap& body, const AttrMap& attrs);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_INSTANTIATE_H_
