// InstantiateFunction: a library function with given attributes, as a Graph that can be placed and
// run.
//
// Placeholders ("$T") get their values, arguments become `_Arg` nodes and results `_Retval` nodes
// (attributes T and index), "node:output:index" inputs are resolved. Ops of the body that are
// functions themselves stay calls.
//
//   FunctionRef call{"scale", attrs};
//   WB_ASSIGN_OR_RETURN(InstantiatedFunction body,
//                       InstantiateFunction(library, call, OpRegistry::Global()));
//   const Node& fed = body.graph->node(body.args[0]);     // feed this one, fetch body.results
//
// Ownership: the body owns its graph; the registry must outlive it. Thread safety: pure functions.
// Errors: INVALID_ARGUMENT for a function that the library does not have, attributes that do not
// fit the signature, inputs and returns that name nothing; NOT_FOUND for unknown ops in the body;
// RESOURCE_EXHAUSTED beyond a limit. All name the function.
#ifndef WARPBEAM_GRAPH_FUNCTIONS_INSTANTIATE_H_
#define WARPBEAM_GRAPH_FUNCTIONS_INSTANTIATE_H_

#include <memory>
#include <vector>

#include "graph/graph.h"

namespace warpbeam {

struct InstantiatedFunction {
  std::shared_ptr<Graph> graph;
  std::vector<NodeId> args;        // _Arg nodes, in order, lists unrolled
  std::vector<OutputRef> results;  // what the function returns, the same
  std::vector<NodeId> retvals;     // _Retval nodes that take the results
  std::vector<DType> arg_types;
  std::vector<DType> result_types;
  // The nodes of the signature's control outputs, in its order.
  std::vector<NodeId> control_results;
  // Nodes that must run even if no result needs them: control results and stateful nodes.
  std::vector<NodeId> effects;
};

struct InstantiateOptions {
  bool infer_shapes = true;
  // What the caller knows of the arguments; empty for nothing.
  std::vector<PartialShape> arg_shapes;
  std::vector<HandleShapes> arg_handles;
  int64_t max_nodes = 10'000'000;
};

// A primitive op may be named where a function is expected: its body is that one op.
StatusOr<InstantiatedFunction> InstantiateFunction(const FunctionLibrary& library,
                                                   const FunctionRef& function,
                                                   const OpRegistry& ops,
                                                   const InstantiateOptions& options = {});

// Makes a function of a graph with `_Arg` and `_Retval` nodes: the reverse. Node names that begin
// with '_' are kept.
StatusOr<std::shared_ptr<const Function>> FunctionFromGraph(const Graph& graph,
                                                            absl::string_view name);

// Registers `_Arg`, `_Retval`, `_ListToArray` and `_ArrayToList`; the global registry has them.
Status RegisterFunctionOps(OpRegistry* ops);

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_FUNCTIONS_INSTANTIATE_H_
