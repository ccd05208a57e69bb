#include "graph/passes/narrow_nodes.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "graph/op/node_types.h"

namespace warpbeam {
namespace {

constexpr char kUnwidened[] = "_unwidened";

// How many outputs of each widened node are in use: up to the last one that is read.
absl::flat_hash_map<NodeId, int> OutputsInUse(const GraphPart& part) {
  absl::flat_hash_map<NodeId, int> in_use;
  for (const NodeId id : part.nodes) {
    if (part.graph->node(id).attrs().Find(kUnwidened) != nullptr) in_use.emplace(id, 0);
  }
  if (in_use.empty()) return in_use;
  const auto read = [&](OutputRef ref) {
    const auto found = in_use.find(ref.node);
    if (found != in_use.end()) found->second = std::max(found->second, ref.index + 1);
  };
  for (const OutputRef fetch : part.fetches) read(fetch);
  for (const NodeId id : part.nodes) {
    for (const OutputRef in : part.graph->node(id).inputs()) read(in);
  }
  return in_use;
}

// One step back; false where the node has to stay as it is.
StatusOr<bool> Narrow(NodeId id, int in_use, GraphPart* part) {
  const Node& node = part->graph->node(id);
  StatusOr<FunctionRef> was = node.attrs().Get<FunctionRef>(kUnwidened);
  if (!was.ok() || was->name != node.op_name()) return false;
  WB_ASSIGN_OR_RETURN(const std::vector<DType> in, InputTypes(node.op(), was->attrs));
  WB_ASSIGN_OR_RETURN(const std::vector<DType> out, OutputTypes(node.op(), was->attrs));
  const auto begins = [](const std::vector<DType>& all, const std::vector<DType>& first) {
    return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
  };
  // A graph that came from somewhere may say anything.
  if (!begins(node.input_types(), in) || !begins(node.output_types(), out)) return false;
  if (in_use > static_cast<int>(out.size())) return false;
  std::vector<OutputRef> inputs(node.inputs().begin(), node.inputs().begin() + in.size());
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < out.size(); ++i) shapes.push_back(node.output_shape(static_cast<int>(i)));
  NodeSpec spec;
  spec.op = node.op_name();
  spec.attrs = was->attrs;
  std::vector<NodeId> controls = node.control_inputs();
  WB_RETURN_IF_ERROR(part->Edit().ReplaceNode(id, std::move(spec), std::move(inputs),
                                              std::move(controls), std::move(shapes)));
  return true;
}

}  // namespace

Status NarrowNodes(GraphPart* part) {
  for (const auto& [id, in_use] : OutputsInUse(*part)) {
    for (bool again = true; again;) {
      WB_ASSIGN_OR_RETURN(again, Narrow(id, in_use, part));
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
