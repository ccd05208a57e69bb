// ConstantTensor: the value of a Const node, which passes ask for everywhere.
//
//   if (const Tensor* value = ConstantTensor(graph.node(in.node))) …   // unless `in` is fed
//
// Ownership: the node's. Thread safety: pure. Errors: none; null for any other node.
#ifndef WARPBEAM_GRAPH_PASSES_CONSTANT_NODE_H_
#define WARPBEAM_GRAPH_PASSES_CONSTANT_NODE_H_

#include "graph/graph.h"

namespace warpbeam {

inline const Tensor* ConstantTensor(const Node& node) {
  if (node.op_name() != "Const") return nullptr;
  const AttrValue* value = node.attrs().Find("value");
  const bool is_tensor = value != nullptr && value->kind() == AttrValue::Kind::kTensor;
  return is_tensor ? &value->tensor() : nullptr;
}

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_PASSES_CONSTANT_NODE_H_
