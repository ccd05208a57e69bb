#include "frontend/output.h"

#include "absl/strings/str_cat.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {

const char* Operation::problem() const {
  if (valid()) return "is valid";
  if (!graph_.expired()) return "was never built";
  return "is of a graph that is gone; keep its Scope or ClientSession as long as its tensors";
}

std::string Operation::name() const {
  return valid() ? graph_.get()->graph()->node(node_).name() : std::string();
}

std::string Operation::type() const {
  return valid() ? graph_.get()->graph()->node(node_).op_name() : std::string();
}

std::string Operation::device() const {
  return valid() ? graph_.get()->graph()->node(node_).device() : std::string();
}

const AttrMap& Operation::attrs() const {
  static const AttrMap* const none = new AttrMap();
  return valid() ? graph_.get()->graph()->node(node_).attrs() : *none;
}

int Operation::num_outputs() const {
  return valid() ? graph_.get()->graph()->node(node_).num_outputs() : 0;
}

Output Operation::output(int index) const {
  if (index < 0 || index >= num_outputs()) return Output();
  return Output(graph_, node_, index);
}

OutputList Operation::outputs() const {
  std::vector<Output> outputs;
  for (int i = 0; i < num_outputs(); ++i) outputs.push_back(output(i));
  return outputs;
}

OutputList Operation::inputs() const {
  std::vector<Output> inputs;
  if (!valid()) return inputs;
  for (const OutputRef in : graph_.get()->graph()->node(node_).inputs()) {
    inputs.emplace_back(graph_, in.node, in.index);
  }
  return inputs;
}

HandleList<Operation> Operation::control_inputs() const {
  std::vector<Operation> inputs;
  if (!valid()) return inputs;
  for (const NodeId in : graph_.get()->graph()->node(node_).control_inputs()) {
    inputs.emplace_back(graph_, in);
  }
  return inputs;
}

std::vector<std::string> Operation::colocation_groups() const {
  auto groups = attrs().GetOr<std::vector<std::string>>("_class", {});
  if (groups.empty() && valid()) groups = {absl::StrCat("loc:@", name())};
  return groups;
}

SourceLocation Operation::location() const {
  return valid() ? graph_.get()->graph()->node(node_).location() : SourceLocation();
}

HandleList<Operation> Output::consumers() const {
  std::vector<Operation> consumers;
  if (!valid()) return consumers;
  for (const Node& node : graph_.get()->graph()->nodes()) {
    for (const OutputRef in : node.inputs()) {
      if (in.node != node_ || in.index != index_) continue;
      consumers.emplace_back(graph_, node.id());
      break;
    }
  }
  return consumers;
}

std::string Output::name() const {
  return valid() ? absl::StrCat(graph_.get()->graph()->node(node_).name(), ":", index_)
                 : std::string();
}

DType Output::dtype() const {
  return valid() ? BaseType(graph_.get()->graph()->node(node_).output_type(index_))
                 : DType::kInvalid;
}

PartialShape Output::shape() const {
  return valid() ? graph_.get()->graph()->node(node_).output_shape(index_)
                 : PartialShape::Unknown();
}

void Output::set_shape(const PartialShape& shape) const {
  if (!valid() || !graph_.get()->status().ok()) return;
  const Status merged = graph_.get()->graph()->MergeOutputShape(node_, index_, shape);
  if (!merged.ok())
    graph_.get()->Fail(Annotate(merged, absl::StrCat("set_shape of '", name(), "'")));
}

bool SameOperation(const Operation& a, const Operation& b) {
  return a.graph() == b.graph() && (!a.valid() || a.node() == b.node());
}

bool SameOutput(const Output& a, const Output& b) {
  return SameOperation(a, b) && (!a.valid() || a.index() == b.index());
}

}  // namespace frontend
}  // namespace warpbeam
