#include "frontend/graph_def/graph_lookup.h"

#include "absl/strings/numbers.h"
#include "frontend/graph_state.h"
#include "graph/types/nearest_name.h"

namespace warpbeam {
namespace frontend {

StatusOr<Operation> FindOperation(GraphState& graph, const std::string& name) {
  if (name.find(':') != std::string::npos) {
    return InvalidArgument("'", name, "' is the name of a tensor, not of an operation; leave out ",
                           "the part from ':' on");
  }
  const Node* node = graph.graph()->Find(name);
  if (node != nullptr) return Operation(&graph, node->id());
  NearestName nearest(name);
  for (const Node& other : graph.graph()->nodes()) nearest.Offer(other.name());
  return NotFound("the graph has no operation '", name, "'", nearest.Question());
}

StatusOr<Output> FindTensor(GraphState& graph, const std::string& name) {
  const size_t colon = name.rfind(':');
  int index = 0;
  if (colon == std::string::npos || !absl::SimpleAtoi(name.substr(colon + 1), &index) ||
      index < 0) {
    return InvalidArgument("'", name, "' is not the name of a tensor, such as 'x:0'");
  }
  WB_ASSIGN_OR_RETURN(const Operation operation, FindOperation(graph, name.substr(0, colon)));
  const Output output = operation.output(index);
  if (output.valid()) return output;
  return NotFound("the graph has no tensor '", name, "': its operation, ", operation.type(),
                  ", has ", operation.num_outputs(), " outputs");
}

}  // namespace frontend
}  // namespace warpbeam
