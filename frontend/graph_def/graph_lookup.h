// Tensors and operations by their names, for whoever has a graph and not a Scope; programs call
// Scope::GetTensor and Scope::GetOperation.
//
//   WB_ASSIGN_OR_RETURN(const Output logits, FindTensor(scope.state(), "model/logits:0"));
//
// Ownership: the graph owns the nodes. Thread safety: that of the Scope. Errors: INVALID_ARGUMENT
// for a name of the other kind, NOT_FOUND for one that the graph does not have, with the name that
// may have been meant.
#ifndef WARPBEAM_FRONTEND_GRAPH_DEF_GRAPH_LOOKUP_H_
#define WARPBEAM_FRONTEND_GRAPH_DEF_GRAPH_LOOKUP_H_

#include <string>

#include "frontend/output.h"

namespace warpbeam {
namespace frontend {

StatusOr<Operation> FindOperation(GraphState& graph, const std::string& name);
StatusOr<Output> FindTensor(GraphState& graph, const std::string& name);

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_GRAPH_DEF_GRAPH_LOOKUP_H_
