#include "frontend/output.h"

#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {

std::string Operation::name() const {
  return valid() ? graph_->graph()->node(node_).name() : std::string();
}

std::string Operation::type() const {
  return valid() ? graph_->graph()->node(node_).op_name() : std::string();
}

std::string Operation::device() const {
  return valid() ? graph_->graph()->node(node_).device() : std::string();
}

const AttrMap& Operation::attrs() const {
  static const AttrMap* const none = new AttrMap();
  return valid() ? graph_->graph()->node(node_).attrs() : *none;
}

int Operation::num_outputs() const {
  return valid() ? graph_->graph()->node(node_).num_outputs() : 0;
}

Output Operation::output(int index) const {
  if (index < 0 || index >= num_outputs()) return Output();
  return Output(graph_, node_, index);
}

std::string Output::name() const {
  return valid() ? absl::StrCat(graph_->graph()->node(node_).name(), ":", index_) : std::string();
}

DType Output::dtype() const {
  return valid() ? BaseType(graph_->graph()->node(node_).output_type(index_)) : DType::kInvalid;
}

PartialShape Output::shape() const {
  return valid() ? graph_->graph()->node(node_).output_shape(index_) : PartialShape::Unknown();
}

void Output::set_shape(const PartialShape& shape) const {
  if (!valid() || !graph_->status().ok()) return;
  const Status merged = graph_->graph()->MergeOutputShape(node_, index_, shape);
  if (!merged.ok()) graph_->Fail(Annotate(merged, absl::StrCat("set_shape of '", name(), "'")));
}

}  // namespace frontend
}  // namespace warpbeam
