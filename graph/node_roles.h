// What part a node has in its graph, by the role that its op declares (graph/op/op_schema.h): an op
// and its twin for references have the same.
//
//   if (IsEnter(node)) …
//
// Thread safety: pure functions. Errors: none.
#ifndef WARPBEAM_GRAPH_NODE_ROLES_H_
#define WARPBEAM_GRAPH_NODE_ROLES_H_

#include "graph/graph.h"

namespace warpbeam {

inline bool IsConstant(const Node& node) { return node.role() == OpRole::kConstant; }
inline bool IsArgument(const Node& node) { return node.role() == OpRole::kArgument; }
inline bool IsResult(const Node& node) { return node.role() == OpRole::kResult; }
inline bool IsHandOn(const Node& node) { return node.role() == OpRole::kHandOn; }
inline bool IsSwitch(const Node& node) { return node.role() == OpRole::kSwitch; }
inline bool IsMerge(const Node& node) { return node.role() == OpRole::kMerge; }
inline bool IsEnter(const Node& node) { return node.role() == OpRole::kEnter; }
inline bool IsExit(const Node& node) { return node.role() == OpRole::kExit; }
inline bool IsNextIteration(const Node& node) { return node.role() == OpRole::kNextIteration; }
inline bool IsLoopCond(const Node& node) { return node.role() == OpRole::kLoopCond; }
// Whether it stands at the border of a loop or of an iteration.
inline bool IsLoopBorder(const Node& node) {
  return IsEnter(node) || IsExit(node) || IsNextIteration(node);
}
// What decides which nodes run, and in which iteration of a loop.
inline bool IsControlFlow(const Node& node) { return IsControlFlow(node.role()); }

// Whether an output is the same however late it is read, and whoever reads it: it is no reference,
// and the readers of a variable's reading are told apart by when they run.
inline bool MayBeReadLater(const Graph& graph, OutputRef output) {
  if (output.node == kNoNode) return false;
  const Node& producer = graph.node(output.node);
  const bool reads_reference =
      IsHandOn(producer) && producer.input(0).node != kNoNode &&
      IsRef(graph.node(producer.input(0).node).output_type(producer.input(0).index));
  return !reads_reference && !IsRef(producer.output_type(output.index)) && !IsControlFlow(producer);
}

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_NODE_ROLES_H_
