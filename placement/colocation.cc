#include "placement/colocation.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace warpbeam {
namespace {

bool IsState(DType type) { return IsRef(type) || type == DType::kResource; }

bool Colocates(const Graph& graph, const Node& node, int input) {
  const DType type = node.input_type(input);
  if (IsRef(type) || type == DType::kResource) return true;
  return type == DType::kVariant && IsDataset(node.op()) &&
         IsDataset(graph.node(node.input(input).node).op());
}

}  // namespace

bool IsDataset(const OpSchema& schema) {
  if (schema.outputs.size() != 1 || schema.outputs[0].type != DType::kVariant) return false;
  absl::string_view name = schema.name;
  if (name == "DatasetFromGraph") return true;
  const absl::string_view whole = name;
  while (!name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name.back()))) {
    name.remove_suffix(1);
  }
  if (name.size() < whole.size() && !absl::ConsumeSuffix(&name, "V")) return false;
  return absl::EndsWith(name, "Dataset");
}

NodeTraits TraitsOf(const Node& node) {
  const std::vector<DType>& in = node.input_types();
  const std::vector<DType>& out = node.output_types();
  NodeTraits traits = 0;
  if (in.empty() && out.size() == 1) {
    if (IsState(out[0])) traits |= kOwnsState;
    if (!IsRef(out[0])) traits |= kGenerates;
  }
  const bool is_dataset = IsDataset(node.op());
  if (std::any_of(in.begin(), in.end(), [is_dataset](DType type) {
        return IsState(type) || (type == DType::kVariant && is_dataset);
      })) {
    traits |= kTakesState;
  }
  if (in.size() == 1 && node.op().reads_shapes_only) traits |= kReadsShapes;
  if (node.attrs().Find("_class") != nullptr) traits |= kNamesGroup;
  return traits;
}

ColocationGroups::ColocationGroups(const Graph& graph, NodeId first,
                                   const std::vector<NodeTraits>& traits,
                                   const std::vector<DeviceTypes>& types,
                                   const std::vector<int32_t>& requests, PlacerState* state)
    : graph_(graph),
      first_(first),
      state_(state),
      traits_(traits),
      parent_(types.size(), -1),
      types_(types),
      roles_(types.size(), GroupRole::kPlain) {
  if (!state->options.allow_soft_placement) return;
  tasks_.reserve(requests.size());
  absl::flat_hash_map<int, int> task_of;
  for (int request : requests) {
    auto [it, added] = task_of.try_emplace(request, 0);
    if (added) it->second = state->requests.OnlyTask(request);
    tasks_.push_back(it->second);
  }
}

void ColocationGroups::Build() {
  const NodeId end = graph_.num_nodes();
  for (NodeId id = first_; id < end; ++id) {
    if (Has(id, kOwnsState | kTakesState)) ColocateByEdges(graph_.node(id));
  }
  for (NodeId id = first_; id < end; ++id) {
    if (Has(id, kNamesGroup)) ColocateByName(graph_.node(id));
  }
  // A name that an earlier part of the graph gave may be that of a new node.
  for (const auto& [name, placed] : state_->open_groups) {
    const Node* node = graph_.Find(name);
    if (node == nullptr || node->id() < first_) continue;
    if (!Unite(*node, placed, state_->options.allow_soft_placement)) {
      not_colocated_.emplace_back(node->id(), placed);
    }
  }
}

int ColocationGroups::Root(int i) const {
  int root = i;
  while (parent_[root] >= 0) root = parent_[root];
  while (parent_[i] >= 0) {
    const int next = parent_[i];
    parent_[i] = root;
    i = next;
  }
  return root;
}

void ColocationGroups::ColocateByEdges(const Node& node) {
  GroupRole& role = roles_[node.id() - first_];
  if (Has(node.id(), kOwnsState)) role = GroupRole::kOwner;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const NodeId source = node.input(i).node;
    if (source == kNoNode || !Colocates(graph_, node, i)) continue;
    role = GroupRole::kReader;
    Unite(node, source, /*optional=*/false);
  }
}

void ColocationGroups::ColocateByName(const Node& node) {
  const AttrValue* classes = node.attrs().Find("_class");
  if (classes->kind() == AttrValue::Kind::kString) {
    NameGroup(node, classes->s());
  } else if (classes->kind() == AttrValue::Kind::kStringList) {
    for (const std::string& name : classes->list<std::string>()) NameGroup(node, name);
  }
}

void ColocationGroups::NameGroup(const Node& node, absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "loc:@") || name == node.name()) return;
  GroupRole& role = roles_[node.id() - first_];
  if (role != GroupRole::kReader) role = GroupRole::kFollower;
  const Node* named = graph_.Find(name);
  NodeId other = named == nullptr ? kNoNode : named->id();
  if (named == nullptr) {
    // Nodes that give the same unknown name still belong together.
    if (auto it = state_->open_groups.find(name); it != state_->open_groups.end()) {
      other = it->second;
    } else {
      auto [open, added] = open_names_.try_emplace(std::string(name), node.id());
      if (added) return;
      other = open->second;
    }
  }
  if (!Unite(node, other, state_->options.allow_soft_placement)) {
    not_colocated_.emplace_back(node.id(), other);
    if (role == GroupRole::kFollower) role = GroupRole::kPlain;
  }
}

bool ColocationGroups::Unite(const Node& node, NodeId other, bool optional) {
  const int root = Root(node.id() - first_);
  if (other < first_) return Anchor(root, other, optional);
  return UniteRoots(root, Root(other - first_), optional);
}

bool ColocationGroups::SameDevice(NodeId a, NodeId b) const {
  return state_->decisions[a].device == state_->decisions[b].device;
}

bool ColocationGroups::Anchor(int root, NodeId placed, bool optional) {
  const int device = state_->decisions[placed].device;
  Anchors known;
  if (auto it = anchors_.find(root); it != anchors_.end()) known = it->second;
  const bool contradicts = known.node != kNoNode && !SameDevice(known.node, placed);
  if (optional) {
    if (contradicts || !state_->chooser.Allows(0, types_[root], device)) return false;
    const int place = state_->requests.OnlyTask(state_->requests.Add(state_->devices[device]));
    if (!state_->requests.Compatible(tasks_[root], place)) return false;
  }
  if (known.node == kNoNode) {
    known.node = placed;
  } else if (contradicts) {
    known.other = placed;
  }
  anchors_[root] = known;
  return true;
}

bool ColocationGroups::UniteRoots(int a, int b, bool optional) {
  if (a == b) return true;
  const DeviceTypes types = types_[a] & types_[b];
  if (optional) {
    if ((types & state_->chooser.available()) == 0) return false;
    if (!state_->requests.Compatible(tasks_[a], tasks_[b])) return false;
    for (int root : {a, b}) {
      auto it = anchors_.find(root);
      if (it == anchors_.end()) continue;
      const int device = state_->decisions[it->second.node].device;
      if (!state_->chooser.Allows(0, types, device)) return false;
    }
  }
  if (parent_[a] > parent_[b]) std::swap(a, b);  // a is the larger group
  if (auto it = anchors_.find(b); it != anchors_.end()) {
    const Anchors from = it->second;
    if (!Anchor(a, from.node, optional)) return false;
    if (from.other != kNoNode) Anchor(a, from.other, /*optional=*/false);
    anchors_.erase(b);
  }
  parent_[a] += parent_[b];
  parent_[b] = a;
  types_[a] = types;
  if (!tasks_.empty()) {
    auto merged = state_->requests.Merge(tasks_[a], tasks_[b], /*soft=*/false);
    if (merged.ok()) tasks_[a] = *merged;
  }
  return true;
}

bool ColocationGroups::IsAlone(NodeId node) const {
  const int i = node - first_;
  return parent_[i] == -1 && (anchors_.empty() || !anchors_.contains(i));
}

std::vector<ColocationGroups::Group> ColocationGroups::All() {
  const int count = static_cast<int>(parent_.size());
  // Roots get consecutive numbers in the order of their first members, so that the result does not
  // depend on how the groups grew.
  std::vector<int32_t> number(count, -1);
  std::vector<int32_t> roots;
  int total = 0;
  for (int i = 0; i < count; ++i) {
    if (IsAlone(first_ + i)) continue;
    const int root = Root(i);
    ++total;
    if (number[root] >= 0) continue;
    number[root] = static_cast<int32_t>(roots.size());
    roots.push_back(root);
  }
  std::vector<int32_t> begin(roots.size() + 1, 0);
  for (size_t g = 0; g < roots.size(); ++g) begin[g + 1] = begin[g] - parent_[roots[g]];
  members_.resize(total);
  std::vector<int32_t> next(begin.begin(), begin.end() - 1);
  for (int i = 0; i < count; ++i) {
    if (!IsAlone(first_ + i)) members_[next[number[Root(i)]]++] = first_ + i;
  }
  std::vector<Group> groups(roots.size());
  for (size_t g = 0; g < roots.size(); ++g) {
    groups[g].members = MakeConstSpan(members_).subspan(begin[g], begin[g + 1] - begin[g]);
    groups[g].types = types_[roots[g]];
    if (auto it = anchors_.find(roots[g]); it != anchors_.end()) groups[g].anchors = it->second;
  }
  return groups;
}

}  // namespace warpbeam
