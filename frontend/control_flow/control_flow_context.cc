#include "frontend/control_flow/control_flow_context.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "frontend/collections.h"
#include "frontend/graph_state.h"

namespace warpbeam {
namespace frontend {
namespace {

Scope InContext(const Scope& scope, std::shared_ptr<ControlFlowContext> control_flow) {
  auto context = std::make_shared<ScopeContext>(scope.context());
  context->control_flow = std::move(control_flow);
  context->control.clear();
  return Scope(scope.shared_state(), std::move(context), scope.location());
}

}  // namespace

StatusOr<OutputRef> ControlFlowContext::Bring(const Scope& scope, OutputRef value,
                                              const std::string& reader) {
  if (Owns(value.node)) return value;
  auto found = known_.find(value);
  if (found != known_.end()) return found->second;
  OutputRef around = value;
  if (outer_ != nullptr) {
    WB_ASSIGN_OR_RETURN(around, outer_->Bring(scope, value, reader));
  }
  const Scope outside = InContext(scope, outer_).WithPrefix(reader);
  const Output from(&scope.state(), around.node, around.index);
  WB_ASSIGN_OR_RETURN(const Output made, Import(outside, from));
  if (!made.valid()) return scope.status();
  Own(made.node());
  const OutputRef inside{made.node(), made.index()};
  known_[value] = inside;
  return inside;
}

StatusOr<std::vector<NodeId>> ControlFlowContext::ControlInputs(
    const Scope& scope, const std::vector<OutputRef>& inputs, const std::vector<NodeId>& wanted,
    const std::string& reader) {
  std::vector<NodeId> result;
  for (NodeId id : wanted) {
    if (Owns(id)) {
      result.push_back(id);
      continue;
    }
    const Node& node = scope.graph()->node(id);
    if (node.num_outputs() == 0) {
      return InvalidArgument("a control dependency on '", node.name(), "', which is outside of ",
                             "the loop or branch and has no output to bring in; give it to the ",
                             "scope of the whole");
    }
    WB_ASSIGN_OR_RETURN(const OutputRef inside, Bring(scope, {id, 0}, reader));
    result.push_back(inside.node);
  }
  const bool is_free = result.empty() && pivot_ != kNoNode &&
                       std::all_of(inputs.begin(), inputs.end(), [&](OutputRef input) {
                         return IsInvariant(scope.graph()->node(input.node));
                       });
  if (is_free) result.push_back(pivot_);
  return result;
}

void ControlFlowContext::Describe(const Scope& scope, ControlFlowDef def) {
  const Graph& graph = *scope.graph();
  const auto name_of = [&](OutputRef ref) {
    return absl::StrCat(graph.node(ref.node).name(), ":", ref.index);
  };
  def.values.insert(nested_values_.begin(), nested_values_.end());
  for (const NodeId id : owned_) {
    for (int i = 0; i < graph.node(id).num_outputs(); ++i) def.values.insert(name_of({id, i}));
  }
  for (const auto& [outside, inside] : known_) {
    def.values.insert(name_of(outside));
    def.externals[name_of(outside)] = name_of(inside);
  }
  def.nested = nested_;
  if (outer_ == nullptr) {
    const char* key = def.is_loop ? GraphKeys::kWhileContext : GraphKeys::kCondContext;
    AddToCollection(scope, key, SerializeControlFlow(def));
    return;
  }
  outer_->nested_.push_back(SerializeContext(def));
  // What is only read inside is no part of the context around.
  for (const auto& external : def.externals) def.values.erase(external.first);
  outer_->nested_values_.insert(def.values.begin(), def.values.end());
}

Scope WithControlFlow(const Scope& scope, std::shared_ptr<ControlFlowContext> context) {
  return InContext(scope, std::move(context));
}

}  // namespace frontend
}  // namespace warpbeam
