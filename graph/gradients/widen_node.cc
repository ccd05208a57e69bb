#include "graph/gradients/widen_node.h"

namespace warpbeam {

Status WidenNode(Graph& graph, NodeId node, const WiderNode& wider) {
  const int num_inputs = graph.node(node).num_inputs();
  const FunctionRef unwidened = {graph.node(node).op_name(), graph.node(node).attrs()};
  for (const AttrMap::Entry& attr : wider.types) {
    WB_RETURN_IF_ERROR(graph.SetAttr(node, attr.first, attr.second));
  }
  for (size_t i = 0; i < wider.inputs.size(); ++i) {
    WB_RETURN_IF_ERROR(graph.SetInput(node, num_inputs + static_cast<int>(i), wider.inputs[i]));
  }
  // Last of all, so that shapes are inferred from the whole.
  for (const AttrMap::Entry& attr : wider.functions) {
    WB_RETURN_IF_ERROR(graph.SetAttr(node, attr.first, attr.second));
  }
  return graph.SetAttr(node, "_unwidened", unwidened);
}

}  // namespace warpbeam
