#include "graph/passes/reference_views.h"

#include <algorithm>
#include <utility>

#include "graph/passes/loop_frames.h"

namespace warpbeam {
namespace {

// Hands references on as they are, or looks at one without reading or changing the value.
bool IsNoUpdate(const OpSchema& op) {
  return IsControlFlow(op.role) || op.passes_on != PassOn::kNothing ||
         op.effect == StateEffect::kRead;
}

}  // namespace

ViewKind ViewKindOf(const Node& node) {
  const std::vector<DType>& types = node.output_types();
  if (std::any_of(types.begin(), types.end(), IsRef)) return ViewKind::kNone;
  switch (node.role()) {
    case OpRole::kSwitch:
      return ViewKind::kSwitch;
    case OpRole::kMerge:
      return ViewKind::kMerge;
    case OpRole::kEnter:
      return ViewKind::kEnter;
    case OpRole::kExit:
      return ViewKind::kExit;
    case OpRole::kNextIteration:
      return ViewKind::kNextIteration;
    default:
      break;
  }
  switch (node.op().passes_on) {
    case PassOn::kNothing:
    case PassOn::kOneOf:
    case PassOn::kHandle:
      return ViewKind::kNone;
    case PassOn::kReshaped:
      return ViewKind::kShape;
    case PassOn::kValue:
    case PassOn::kChecked:
    case PassOn::kDefault:
    case PassOn::kEach:
      break;
  }
  // Where a node hands on several tensors, none is followed.
  return node.num_outputs() == 1 ? ViewKind::kHandOn : ViewKind::kNone;
}

ReferenceViews::ReferenceViews(const Graph& graph, const Components& components,
                               const FedOutputs& fed, SharesMemory shares_memory)
    : graph_(graph),
      components_(components),
      fed_(fed),
      shares_memory_(std::move(shares_memory)),
      variable_of_(graph.num_nodes(), kNone),
      is_reshaped_(graph.num_nodes(), false) {
  FindViews();
  for (int32_t& v : variable_of_) {
    if (v != kNone) v = Root(v);
  }
  FindUpdates();
}

bool ReferenceViews::IsReference(OutputRef in) const {
  return in.node != kNoNode && IsRef(graph_.node(in.node).output_type(in.index));
}

bool ReferenceViews::IsView(OutputRef in, NodeId reader) const {
  if (in.node == kNoNode || variable_of_[in.node] == kNone || IsReference(in)) return false;
  const ViewKind kind = ViewKindOf(graph_.node(in.node));
  if (kind == ViewKind::kNone || (in.index != 0 && kind != ViewKind::kSwitch)) return false;
  return !fed_.contains(in) && shares_memory_(in.node, reader);
}

bool ReferenceViews::IsLoopMerge(NodeId id) const {
  const Node& node = graph_.node(id);
  return ViewKindOf(node) == ViewKind::kMerge &&
         std::any_of(node.inputs().begin(), node.inputs().end(), [&](OutputRef in) {
           if (in.node == kNoNode) return false;
           const Node& producer = graph_.node(in.node);
           return IsEnter(producer) || IsNextIteration(producer);
         });
}

int32_t ReferenceViews::Root(int32_t v) {
  while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
  return v;
}

void ReferenceViews::Join(int32_t* variable, int32_t other) {
  if (*variable == kNone) {
    *variable = other;
    return;
  }
  const int32_t a = Root(*variable), b = Root(other);
  parent_[std::max(a, b)] = std::min(a, b);
}

int32_t ReferenceViews::OwnedVariable(const Node& node) {
  std::string name = node.attrs().GetOr<std::string>("shared_name", "");
  if (name.empty()) name = node.name();
  name = absl::StrCat(node.attrs().GetOr<std::string>("container", ""), "/", name);
  const auto next = static_cast<int32_t>(parent_.size());
  const auto [found, is_new] = by_name_.try_emplace(std::move(name), next);
  if (is_new) parent_.push_back(next);
  return found->second;
}

int ReferenceViews::NumHandedOn(const Node& node) const {
  const std::vector<DType>& types = node.output_types();
  if (std::any_of(types.begin(), types.end(), IsRef)) return node.num_inputs();
  const ViewKind kind = ViewKindOf(node);
  return kind == ViewKind::kNone ? 0 : kind == ViewKind::kMerge ? node.num_inputs() : 1;
}

bool ReferenceViews::Follow(const Node& node) {
  const NodeId id = node.id();
  const ViewKind kind = ViewKindOf(node);
  bool changed = false;
  for (int i = 0; i < NumHandedOn(node); ++i) {
    const OutputRef in = node.input(i);
    if (in.node == kNoNode || variable_of_[in.node] == kNone || fed_.contains(in)) continue;
    const bool is_reference = IsReference(in);
    // What an update writes into its variable, or reads besides, stays another one's.
    if (kind == ViewKind::kNone && !(is_reference && IsRef(node.input_type(i)))) continue;
    if (is_reference ? !shares_memory_(in.node, id) : !IsView(in, id)) continue;
    changed |= variable_of_[id] == kNone;
    Join(&variable_of_[id], variable_of_[in.node]);
    const bool reshaped = kind == ViewKind::kShape || is_reshaped_[in.node];
    if (reshaped && !is_reshaped_[id]) changed = is_reshaped_[id] = true;
  }
  return changed;
}

// From the nodes with references of their own to all that hands them or views of them on. Each node
// is followed again only when what it is has changed, which happens twice at most.
void ReferenceViews::FindViews() {
  // By node: who hands on what it leaves.
  std::vector<int32_t> begin(variable_of_.size() + 1, 0);
  const auto for_edges = [&](auto fn) {
    for (const NodeId id : components_.order()) {
      const Node& node = graph_.node(id);
      for (int i = 0; i < NumHandedOn(node); ++i) {
        if (node.input(i).node != kNoNode) fn(node.input(i).node, id);
      }
    }
  };
  for_edges([&](NodeId from, NodeId) { ++begin[from + 1]; });
  for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<NodeId> users(begin.back());
  std::vector<int32_t> next = begin;
  for_edges([&](NodeId from, NodeId to) { users[next[from]++] = to; });

  std::vector<NodeId> todo;
  for (const NodeId id : components_.order()) {
    const Node& node = graph_.node(id);
    const std::vector<DType>& types = node.output_types();
    if (!std::any_of(types.begin(), types.end(), IsRef) ||
        std::any_of(node.inputs().begin(), node.inputs().end(),
                    [&](OutputRef in) { return IsReference(in); })) {
      continue;
    }
    variable_of_[id] = OwnedVariable(node);
    todo.push_back(id);
  }
  while (!todo.empty()) {
    const NodeId from = todo.back();
    todo.pop_back();
    for (int32_t u = begin[from]; u < begin[from + 1]; ++u) {
      if (Follow(graph_.node(users[u]))) todo.push_back(users[u]);
    }
  }
}

void ReferenceViews::FindUpdates() {
  for (const NodeId id : components_.order()) {
    const Node& node = graph_.node(id);
    if (IsNoUpdate(node.op())) continue;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const OutputRef in = node.input(i);
      if (!IsRef(node.input_type(i)) || !IsReference(in) || variable_of_[in.node] == kNone) {
        continue;
      }
      const Update update{id, Root(variable_of_[in.node])};
      // An update of several references of one variable counts once.
      if (updates_.empty() || updates_.back().node != id ||
          updates_.back().variable != update.variable) {
        updates_.push_back(update);
      }
    }
  }
  std::stable_sort(updates_.begin(), updates_.end(),
                   [](const Update& a, const Update& b) { return a.variable < b.variable; });
}

}  // namespace warpbeam
