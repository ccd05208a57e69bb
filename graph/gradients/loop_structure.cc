#include "graph/gradients/loop_structure.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "graph/node_roles.h"

namespace warpbeam {
namespace {

bool IsConstantEnter(const Node& n) {
  return IsEnter(n) && n.attrs().GetOr<bool>("is_constant", false);
}

Conditions Union(const Conditions& a, const Conditions& b) {
  if (a.empty()) return b;
  Conditions both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Conditions Intersection(const Conditions& a, const Conditions& b) {
  Conditions both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// All that `ys` are computed from, back edges included.
std::vector<NodeId> AncestorsOf(const Graph& graph, const std::vector<OutputRef>& ys) {
  std::vector<char> seen(graph.num_nodes(), 0);
  std::vector<NodeId> nodes;
  const auto add = [&](NodeId id) {
    if (id == kNoNode || seen[id]) return;
    seen[id] = 1;
    nodes.push_back(id);
  };
  for (OutputRef y : ys) add(y.node);
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (OutputRef in : graph.node(nodes[i]).inputs()) add(in.node);
    for (NodeId in : graph.node(nodes[i]).control_inputs()) add(in);
  }
  return nodes;
}

}  // namespace

bool operator<(const AliveWhen& a, const AliveWhen& b) {
  return std::tie(a.predicate.node, a.predicate.index, a.branch) <
         std::tie(b.predicate.node, b.predicate.index, b.branch);
}

bool IsLoopMerge(const Graph& graph, const Node& node) {
  if (!IsMerge(node)) return false;
  return std::any_of(node.inputs().begin(), node.inputs().end(), [&](OutputRef in) {
    return in.node != kNoNode && IsNextIteration(graph.node(in.node));
  });
}

bool IsLoopSwitch(const Graph& graph, const Node& node) {
  if (!IsSwitch(node)) return false;
  NodeId predicate = node.input(1).node;
  while (predicate != kNoNode && IsHandOn(graph.node(predicate))) {
    predicate = graph.node(predicate).input(0).node;
  }
  return predicate != kNoNode && IsLoopCond(graph.node(predicate));
}

StatusOr<LoopStructure> LoopStructure::Find(const Graph& graph, const std::vector<OutputRef>& ys) {
  LoopStructure made(graph);
  made.frames_.emplace_back();
  made.loop_conditions_.resize(1);
  bool any = false;
  for (const Node& node : graph.nodes()) any = any || IsEnter(node) || IsExit(node);
  if (!any) return made;
  const std::vector<NodeId> kept = AncestorsOf(graph, ys);
  WB_ASSIGN_OR_RETURN(LoopFrames found, FindLoopFrames(graph, kept, {}));
  if (found.frames.size() == 1) return made;
  made.frames_ = std::move(found.frames);
  made.frame_of_.assign(graph.num_nodes(), kNotForward);
  for (NodeId id : kept) made.frame_of_[id] = found.frame_of[id];
  made.loop_conditions_.resize(made.frames_.size());
  made.conditions_of_.assign(graph.num_nodes(), 0);
  WB_ASSIGN_OR_RETURN(std::vector<NodeId> order, TopologicalOrder(graph));
  made.FindConditions(order);
  return made;
}

int32_t LoopStructure::frame_of(NodeId node) const {
  if (frame_of_.empty()) return 0;
  return node < static_cast<NodeId>(frame_of_.size()) ? frame_of_[node] : kNotForward;
}

int32_t LoopStructure::owner_of(NodeId node) const {
  const Node& n = graph_->node(node);
  return IsExit(n) && has_loops() ? frame_of(n.input(0).node) : frame_of(node);
}

int32_t LoopStructure::ChildOf(int32_t frame, int32_t inner) const {
  if (inner < 0 || inner == frame) return inner;
  while (inner != 0 && parent(inner) != frame) inner = parent(inner);
  return inner == 0 ? kNotForward : inner;
}

int32_t LoopStructure::Intern(const Conditions& conditions) {
  if (conditions.empty()) return 0;
  // Neighbours in the order mostly have the same ones.
  const size_t first = condition_sets_.size() > 16 ? condition_sets_.size() - 16 : 0;
  for (size_t i = first; i < condition_sets_.size(); ++i) {
    if (condition_sets_[i] == conditions) return static_cast<int32_t>(i);
  }
  condition_sets_.push_back(conditions);
  return static_cast<int32_t>(condition_sets_.size()) - 1;
}

OutputRef LoopStructure::Canonical(OutputRef predicate) const {
  while (IsHandOn(graph_->node(predicate.node))) {
    predicate = graph_->node(predicate.node).input(0);
  }
  return predicate;
}

Conditions LoopStructure::ConditionsOf(OutputRef output) const {
  if (output.node >= static_cast<NodeId>(conditions_of_.size())) return {};
  Conditions all = condition_sets_[conditions_of_[output.node]];
  const Node& node = graph_->node(output.node);
  if (!IsSwitch(node) || IsLoopSwitch(*graph_, node) || node.input(1).node == kNoNode) return all;
  return Union(all, {{Canonical(node.input(1)), output.index}});
}

Conditions LoopStructure::ConditionsOfInputs(const Node& node) const {
  Conditions all;
  bool first = true;
  for (OutputRef in : node.inputs()) {
    if (in.node == kNoNode || IsLoopBackEdge(graph_->node(in.node), node)) continue;
    const Conditions own = ConditionsOf(in);
    all = first || !IsMerge(node) ? Union(all, own) : Intersection(all, own);
    first = false;
  }
  for (NodeId in : node.control_inputs()) {
    all = Union(all, condition_sets_[conditions_of_[in]]);
  }
  return all;
}

void LoopStructure::FindConditions(const std::vector<NodeId>& order) {
  for (NodeId id : order) {
    const Node& node = graph_->node(id);
    const int32_t frame = frame_of(id);
    if (frame == kNotForward) continue;
    if (IsExit(node)) {
      conditions_of_[id] = Intern(loop_conditions_[owner_of(id)]);
      continue;
    }
    const Conditions conditions = ConditionsOfInputs(node);
    if (IsEnter(node)) {
      loop_conditions_[frame] = Union(loop_conditions_[frame], conditions);
    } else {
      conditions_of_[id] = Intern(conditions);
    }
  }
}

void LoopStructure::AddForward(NodeId node, int32_t frame, const Conditions& conditions) {
  if (frame_of_.empty()) return;  // no loops: nobody asks
  frame_of_.resize(std::max<size_t>(frame_of_.size(), node + 1), kNotForward);
  conditions_of_.resize(frame_of_.size(), 0);
  frame_of_[node] = frame;
  conditions_of_[node] = Intern(conditions);
}

Status LoopStructure::AddVariable(const Node& merge, ForwardLoop* loop) const {
  LoopVariable v;
  v.merge = merge.id();
  for (OutputRef in : merge.inputs()) {
    if (in.node == kNoNode) continue;
    const Node& from = graph_->node(in.node);
    if (IsEnter(from)) v.enter = in.node;
    if (IsNextIteration(from)) v.next = in.node;
  }
  if (merge.num_inputs() != 2 || v.enter == kNoNode || v.next == kNoNode) {
    return InvalidArgument(DescribeNode(merge), " of the loop '", loop->name,
                           "' holds a loop variable, but does not join one Enter and one "
                           "NextIteration; such a loop cannot be differentiated");
  }
  loop->variables.push_back(std::move(v));
  return OkStatus();
}

Status LoopStructure::AddSwitches(const std::vector<NodeId>& switches, ForwardLoop* loop) const {
  absl::flat_hash_map<NodeId, LoopVariable*> by_merge;
  for (LoopVariable& v : loop->variables) by_merge[v.merge] = &v;
  for (NodeId id : switches) {
    const Node& n = graph_->node(id);
    auto it = by_merge.find(n.input(0).node);
    if (it == by_merge.end() || it->second->loop_switch != kNoNode) {
      return InvalidArgument(DescribeNode(n), " of the loop '", loop->name, "' switches '",
                             graph_->node(n.input(0).node).name(),
                             "', which is no loop variable or has another Switch already; such a "
                             "loop cannot be differentiated");
    }
    it->second->loop_switch = id;
    loop->condition = n.input(1);
  }
  return OkStatus();
}

Status LoopStructure::AddExits(const std::vector<NodeId>& exits, ForwardLoop* loop) const {
  absl::flat_hash_map<NodeId, LoopVariable*> by_switch;
  for (LoopVariable& v : loop->variables) by_switch[v.loop_switch] = &v;
  for (NodeId id : exits) {
    const Node& n = graph_->node(id);
    auto it = by_switch.find(n.input(0).node);
    if (it == by_switch.end() || n.input(0).index != 0) {
      return InvalidArgument(DescribeNode(n), " takes out of the loop '", loop->name,
                             "' what is not output 0 of a loop variable's Switch ('",
                             graph_->node(n.input(0).node).name(),
                             "'); such a loop cannot be differentiated");
    }
    it->second->exits.push_back(id);
  }
  return OkStatus();
}

StatusOr<ForwardLoop> LoopStructure::Describe(int32_t frame) const {
  ForwardLoop loop;
  loop.frame = frame;
  loop.parent = parent(frame);
  loop.name = name(frame);
  const Node& enter = graph_->node(frames_[frame].enter);
  loop.parallel_iterations = enter.attrs().GetOr<int64_t>("parallel_iterations", 10);
  std::vector<NodeId> switches, exits, enters;
  for (NodeId id = 0; id < static_cast<NodeId>(frame_of_.size()); ++id) {
    if (frame_of_[id] == kNotForward || owner_of(id) != frame) continue;
    const Node& n = graph_->node(id);
    if (IsLoopMerge(*graph_, n)) WB_RETURN_IF_ERROR(AddVariable(n, &loop));
    if (IsLoopSwitch(*graph_, n)) switches.push_back(id);
    if (IsExit(n)) exits.push_back(id);
    if (IsEnter(n)) (IsConstantEnter(n) ? loop.constants : enters).push_back(id);
  }
  for (const LoopVariable& v : loop.variables) {
    enters.erase(std::remove(enters.begin(), enters.end(), v.enter), enters.end());
  }
  if (!enters.empty()) {
    return InvalidArgument(DescribeNode(graph_->node(enters[0])), " enters the loop '", loop.name,
                           "' neither as a constant nor as a loop variable (a Merge with a "
                           "NextIteration); such a loop cannot be differentiated");
  }
  if (switches.empty()) {
    return InvalidArgument("the loop '", loop.name, "', which ", DescribeNode(enter),
                           " opens, has no Switch on a LoopCond; it cannot be differentiated");
  }
  WB_RETURN_IF_ERROR(AddSwitches(switches, &loop));
  WB_RETURN_IF_ERROR(AddExits(exits, &loop));
  return loop;
}

}  // namespace warpbeam
