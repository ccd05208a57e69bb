#include "graph/build/node_builder.h"

#include "graph/op/node_types.h"

namespace warpbeam {

NodeBuilder::NodeBuilder(Graph* graph, absl::string_view op) : graph_(graph) {
  spec_.op = std::string(op);
}

NodeBuilder& NodeBuilder::Name(absl::string_view name) {
  spec_.name = std::string(name);
  exact_name_ = false;
  return *this;
}

NodeBuilder& NodeBuilder::ExactName(absl::string_view name) {
  spec_.name = std::string(name);
  exact_name_ = true;
  return *this;
}

NodeBuilder& NodeBuilder::Input(NodeInput input) {
  inputs_.push_back(std::move(input));
  return *this;
}

NodeBuilder& NodeBuilder::ControlInput(NodeId node) {
  control_inputs_.push_back(node);
  return *this;
}

NodeBuilder& NodeBuilder::ControlInputs(const std::vector<NodeId>& nodes) {
  control_inputs_.insert(control_inputs_.end(), nodes.begin(), nodes.end());
  return *this;
}

NodeBuilder& NodeBuilder::Attr(absl::string_view name, AttrValue value) {
  spec_.attrs.Set(StdView(name), std::move(value));
  return *this;
}

NodeBuilder& NodeBuilder::Device(absl::string_view device) {
  spec_.device = std::string(device);
  return *this;
}

NodeBuilder& NodeBuilder::Location(SourceLocation location) {
  spec_.location = location;
  return *this;
}

NodeBuilder& NodeBuilder::WithoutShapes() {
  infer_shapes_ = false;
  return *this;
}

Status NodeBuilder::CollectInputs(const OpSchema& schema, std::vector<OutputRef>* flat) {
  if (inputs_.size() != schema.inputs.size()) {
    return InvalidArgument("takes ", schema.inputs.size(), " inputs, got ", inputs_.size());
  }
  std::vector<std::vector<DType>> types(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const ArgSpec& arg = schema.inputs[i];
    const bool wants_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    if (inputs_[i].is_list != wants_list) {
      return InvalidArgument(
          "the input '", arg.name, "' is ",
          wants_list ? "a list of tensors, got one tensor" : "one tensor, got a list of tensors");
    }
    for (OutputRef ref : inputs_[i].refs) {
      if (ref.node < 0 || ref.node >= graph_->num_nodes() || ref.index < 0 ||
          ref.index >= graph_->node(ref.node).num_outputs()) {
        return InvalidArgument("the input '", arg.name, "' is no output of a node of this graph (",
                               ref.node, ":", ref.index, ")");
      }
      types[i].push_back(graph_->node(ref.node).output_type(ref.index));
      flat->push_back(ref);
    }
  }
  return InferAttrs(schema, types, &spec_.attrs);
}

StatusOr<Node*> NodeBuilder::Build() {
  if (spec_.name.empty()) spec_.name = spec_.op;
  WB_ASSIGN_OR_RETURN(const OpSchema* schema, graph_->FindSchema(spec_.op));
  std::vector<OutputRef> flat;
  Status collected = CollectInputs(*schema, &flat);
  if (!collected.ok()) return Annotate(collected, DescribeNode(spec_));
  if (!exact_name_) spec_.name = graph_->UniqueName(spec_.name);
  return graph_->AddNode(std::move(spec_), std::move(flat), std::move(control_inputs_),
                         infer_shapes_);
}

StatusOr<OutputRef> NodeBuilder::BuildOutput() {
  WB_ASSIGN_OR_RETURN(Node * node, Build());
  if (node->num_outputs() == 0) return InvalidArgument(DescribeNode(*node), " has no output");
  return OutputRef{node->id(), 0};
}

StatusOr<Node*> AddConstant(Graph* graph, absl::string_view name, Tensor value,
                            absl::string_view device) {
  const DType dtype = value.dtype();
  return NodeBuilder(graph, "Const")
      .Name(name)
      .Device(device)
      .Attr("dtype", dtype)
      .Attr("value", std::move(value))
      .Build();
}

}  // namespace warpbeam
