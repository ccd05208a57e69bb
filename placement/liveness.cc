#include "placement/liveness.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>

#include "graph/node_roles.h"

namespace warpbeam {
namespace {

// Deeper conditionals than this count as unknown, which bounds the work.
constexpr size_t kMaxBranches = 16;

// What is in a loop, or behind a switch of many ways, is not followed.
bool IsBeyondRules(const Node& node) {
  return IsLoopBorder(node) || IsLoopCond(node) || node.role() == OpRole::kSwitchN;
}

}  // namespace

Liveness::Liveness(const Graph& graph, Span<const NodeId> kept, Span<const OutputRef> feeds)
    : graph_(graph), kept_(graph.num_nodes(), false), fed_(feeds.begin(), feeds.end()) {
  for (NodeId id : kept) {
    kept_[id] = true;
    has_switches_ = has_switches_ || IsControlFlow(graph.node(id));
  }
  Number({});
}

bool Liveness::MayBeDead(OutputRef output) {
  if (!has_switches_ || fed_.contains(output)) return false;
  OfNode(output.node);
  return OfOutput(output) != kAlways;
}

bool Liveness::MayBeDead(NodeId node) { return has_switches_ && OfNode(node) != kAlways; }

Liveness::Conditions Liveness::OfNode(NodeId node) {
  std::vector<NodeId> stack = {node};
  while (!stack.empty()) {
    const NodeId top = stack.back();
    if (known_.contains(top)) {
      stack.pop_back();
    } else if (!PushProducers(graph_.node(top), &stack)) {
      known_[top] = Compute(graph_.node(top));
      stack.pop_back();
    }
  }
  return known_[node];
}

bool Liveness::PushProducers(const Node& node, std::vector<NodeId>* stack) const {
  if (!kept_[node.id()] || IsLoopBorder(node) || IsLoopCond(node)) return false;
  const size_t before = stack->size();
  for (OutputRef input : node.inputs()) {
    if (input.node != kNoNode && !fed_.contains(input) && !known_.contains(input.node)) {
      stack->push_back(input.node);
    }
  }
  for (NodeId control : node.control_inputs()) {
    if (!known_.contains(control)) stack->push_back(control);
  }
  return stack->size() > before;
}

Liveness::Conditions Liveness::Compute(const Node& node) {
  if (!kept_[node.id()]) return kAlways;  // all of its outputs that matter are fed
  if (IsBeyondRules(node)) return kUnknown;
  Conditions all = IsMerge(node) ? OfMerge(node) : kAlways;
  if (!IsMerge(node)) {
    for (OutputRef input : node.inputs()) all = Both(all, OfOutput(input));
  }
  for (NodeId control : node.control_inputs()) all = Both(all, known_[control]);
  return all;
}

Liveness::Conditions Liveness::OfOutput(OutputRef output) {
  if (output.node == kNoNode) return kUnknown;
  if (fed_.contains(output)) return kAlways;
  const Conditions node = known_[output.node];
  const Node& producer = graph_.node(output.node);
  if (node == kUnknown || !IsSwitch(producer) || !kept_[output.node]) return node;
  const OutputRef predicate = Predicate(producer);
  if (IsReference(predicate)) return kUnknown;
  return Both(node, Number({{predicate, output.index == 1}}));
}

// A predicate read through Identity nodes is the same predicate, but for one that reads a variable:
// the next reading may be another.
OutputRef Liveness::Predicate(const Node& node) const {
  OutputRef predicate = node.input(1);
  while (!fed_.contains(predicate) && IsHandOn(graph_.node(predicate.node))) {
    const OutputRef before = graph_.node(predicate.node).input(0);
    if (IsReference(before)) break;
    predicate = before;
  }
  return predicate;
}

bool Liveness::IsReference(OutputRef output) const {
  return !fed_.contains(output) && IsRef(graph_.node(output.node).output_type(output.index));
}

Liveness::Conditions Liveness::OfMerge(const Node& node) {
  if (node.num_inputs() != 2) return kUnknown;
  const Conditions a = OfOutput(node.input(0));
  const Conditions b = OfOutput(node.input(1));
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (a == kAlways || b == kAlways) return kAlways;
  // {p is true} ∪ rest and {p is false} ∪ rest: one of both comes whenever the rest holds.
  for (const Branch& branch : sets_[a]) {
    std::vector<Branch> other = sets_[a];
    auto at = std::find(other.begin(), other.end(), branch);
    at->taken = !at->taken;
    std::sort(other.begin(), other.end());
    if (other != sets_[b]) continue;
    std::vector<Branch> rest = sets_[a];
    rest.erase(std::find(rest.begin(), rest.end(), branch));
    return Number(std::move(rest));
  }
  return kUnknown;
}

Liveness::Conditions Liveness::Both(Conditions a, Conditions b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (a == b || b == kAlways) return a;
  if (a == kAlways) return b;
  std::vector<Branch> both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  return both.size() > kMaxBranches ? kUnknown : Number(std::move(both));
}

Liveness::Conditions Liveness::Number(std::vector<Branch> branches) {
  auto [it, added] = numbers_.try_emplace(branches, static_cast<int>(sets_.size()));
  if (added) sets_.push_back(std::move(branches));
  return it->second;
}

}  // namespace warpbeam
