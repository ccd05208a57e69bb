// NodeBuilder: adds one node to a Graph from outputs and attributes; frontends, gradients and
// passes make nodes with it.
//
// Type, number and type-list attributes follow from the inputs; attributes with defaults may be
// left out; the name is made unique. Inputs are given in the op's order, a list argument as a
// vector.
//
//   WB_ASSIGN_OR_RETURN(
//       Node* sum,
//       NodeBuilder(&graph, "AddN").Name("total").Input({a, b, c}).Device("/cpu:0").Build());
//   WB_ASSIGN_OR_RETURN(OutputRef y, NodeBuilder(&graph, "Neg").Input(x).BuildOutput());
//
// Ownership: the graph must outlive the builder and owns the node. Thread safety: that of the
// graph. Errors: what Graph::AddNode refuses, and inputs that are no nodes of the graph; the graph
// is then unchanged.
#ifndef WARPBEAM_GRAPH_BUILD_NODE_BUILDER_H_
#define WARPBEAM_GRAPH_BUILD_NODE_BUILDER_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace warpbeam {

// What one argument of an op is given: a tensor or a list of tensors.
struct NodeInput {
  NodeInput(OutputRef ref) : refs{ref} {}                                           // NOLINT
  NodeInput(const Node* node) : refs{OutputRef{node->id(), 0}} {}                   // NOLINT
  NodeInput(std::vector<OutputRef> list) : refs(std::move(list)), is_list(true) {}  // NOLINT
  NodeInput(std::initializer_list<OutputRef> list) : refs(list), is_list(true) {}
  std::vector<OutputRef> refs;
  bool is_list = false;
};

class NodeBuilder {
 public:
  NodeBuilder(Graph* graph, absl::string_view op);

  // The name, made unique with "_1", "_2"…; without it the op's name is used.
  NodeBuilder& Name(absl::string_view name);
  // The name as it stands: taken already is an error.
  NodeBuilder& ExactName(absl::string_view name);
  NodeBuilder& Input(NodeInput input);
  NodeBuilder& ControlInput(NodeId node);
  NodeBuilder& ControlInputs(const std::vector<NodeId>& nodes);
  NodeBuilder& Attr(absl::string_view name, AttrValue value);
  NodeBuilder& Device(absl::string_view device);
  NodeBuilder& Location(SourceLocation location);
  // Adds the node without running its shape function.
  NodeBuilder& WithoutShapes();

  StatusOr<Node*> Build();
  // Build, for the first output of the node; INVALID_ARGUMENT when it has none.
  StatusOr<OutputRef> BuildOutput();

 private:
  Status CollectInputs(const OpSchema& schema, std::vector<OutputRef>* flat);

  Graph* graph_;
  NodeSpec spec_;
  bool exact_name_ = false;
  bool infer_shapes_ = true;
  std::vector<NodeInput> inputs_;
  std::vector<NodeId> control_inputs_;
};

// A Const node that holds `value`.
StatusOr<Node*> AddConstant(Graph* graph, absl::string_view name, Tensor value,
                            absl::string_view device = "");

}  // namespace warpbeam

#endif  // WARPBEAM_GRAPH_BUILD_NODE_BUILDER_H_
