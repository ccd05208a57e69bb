#include "graph/gradients/body_writer.h"

#include <utility>

#include "graph/functions/instantiate.h"

namespace warpbeam {

StatusOr<OutputRef> BodyWriter::Arg(DType type, absl::string_view name) {
  return NodeBuilder(&graph_, "_Arg")
      .Name(name)
      .Attr("T", BaseType(type))
      .Attr("index", num_args_++)
      .BuildOutput();
}

Status BodyWriter::Result(OutputRef value) {
  return NodeBuilder(&graph_, "_Retval")
      .Name("result")
      .Attr("index", num_results_++)
      .Input(value)
      .Build()
      .status();
}

StatusOr<OutputRef> BodyWriter::Constant(int32_t value) {
  WB_ASSIGN_OR_RETURN(Node * node, AddConstant(&graph_, graph_.UniqueName("const"),
                                               Tensor::Scalar<int32_t>(value)));
  return OutputRef{node->id(), 0};
}

StatusOr<OutputRef> BodyWriter::Binary(const char* op, OutputRef a, OutputRef b) {
  return NodeBuilder(&graph_, op).Input(a).Input(b).BuildOutput();
}

Status CopyNodes(const Graph& from, const std::vector<bool>& wanted, Graph* to, TensorMap* given) {
  WB_RETURN_IF_ERROR(to->functions().AddAll(from.functions()));
  WB_ASSIGN_OR_RETURN(const std::vector<NodeId> order, TopologicalOrder(from));
  std::vector<NodeId> copies(from.num_nodes(), kNoNode);
  std::vector<std::pair<NodeId, int>> back_edges;
  for (const NodeId id : order) {
    if (!wanted[id]) continue;
    const Node& node = from.node(id);
    NodeSpec spec;
    spec.name = to->UniqueName(node.name());
    spec.op = node.op_name();
    spec.attrs = node.attrs();
    spec.device = node.device();
    spec.location = node.location();
    std::vector<OutputRef> inputs;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const auto found = given->find(node.input(i));
      inputs.push_back(found == given->end() ? OutputRef() : found->second);
      if (found == given->end()) back_edges.emplace_back(id, i);
    }
    std::vector<NodeId> controls;
    for (const NodeId c : node.control_inputs()) {
      if (copies[c] != kNoNode) controls.push_back(copies[c]);
    }
    WB_ASSIGN_OR_RETURN(const Node* copy,
                        to->AddNode(std::move(spec), std::move(inputs), std::move(controls)));
    copies[id] = copy->id();
    for (int o = 0; o < node.num_outputs(); ++o) {
      given->try_emplace(OutputRef{id, o}, OutputRef{copy->id(), o});
    }
  }
  for (const auto& [id, input] : back_edges) {
    const auto found = given->find(from.node(id).input(input));
    if (found == given->end()) {
      return Internal(DescribeNode(from.node(id)), ": its input ", input, " was not copied");
    }
    WB_RETURN_IF_ERROR(to->SetInput(copies[id], input, found->second));
  }
  return OkStatus();
}

StatusOr<std::string> AddFunction(Graph& graph, const Graph& body, const std::string& wanted_name) {
  WB_RETURN_IF_ERROR(graph.functions().AddAll(body.functions()));
  std::string name = wanted_name;
  for (int i = 1; graph.functions().Find(name) != nullptr; ++i) {
    name = absl::StrCat(wanted_name, "_", i);
  }
  WB_ASSIGN_OR_RETURN(std::shared_ptr<const Function> written, FunctionFromGraph(body, name));
  WB_RETURN_IF_ERROR(graph.functions().Add(std::move(written)));
  return name;
}

}  // namespace warpbeam
