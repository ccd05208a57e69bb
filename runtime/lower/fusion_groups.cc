#include "runtime/lower/fusion_groups.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "runtime/lower/fuse_elementwise.h"

namespace warpbeam {
namespace {

// The search for a way back into a group gives up here, and the group is not made.
constexpr int kMostVisits = 4096;

class GroupFinder {
 public:
  GroupFinder(const GraphPart& part, const FusionRequest& request, const Consumers& consumers,
              const std::vector<FusionMember>& members)
      : part_(part),
        graph_(*part.graph),
        request_(request),
        consumers_(consumers),
        members_(members),
        kept_(graph_.num_nodes(), false),
        member_of_(graph_.num_nodes(), -1) {
    for (const NodeId id : part.nodes) kept_[id] = true;
    for (size_t m = 0; m < members.size(); ++m) {
      member_of_[members[m].node] = static_cast<int>(m);
      group_of_.push_back(static_cast<int>(m));
      groups_.push_back({static_cast<int>(m)});
    }
    for (const OutputRef fetch : part.fetches) shown_.insert(fetch.node);
    for (const NodeId target : part.targets) shown_.insert(target);
  }

  std::vector<std::vector<FusionMember>> Run() {
    for (size_t m = 0; m < members_.size(); ++m) JoinProducers(static_cast<int>(m));
    JoinUpdates();
    std::vector<std::vector<FusionMember>> result;
    for (std::vector<int>& group : groups_) {
      if (group.size() < 2) continue;
      std::sort(group.begin(), group.end());
      std::vector<FusionMember> members;
      for (const int m : group) members.push_back(members_[m]);
      result.push_back(std::move(members));
    }
    return result;
  }

 private:
  bool Alike(int a, int b) const {
    return members_[a].shape == members_[b].shape &&
           graph_.site(members_[a].node) == graph_.site(members_[b].node);
  }

  // Whether only `reader` sees the member's result. Nobody waits for it, either: a group has one
  // way out, so that no path leads back into it.
  bool IsOnlyFor(int m, NodeId reader) const {
    const NodeId id = members_[m].node;
    if (members_[m].fusible->num_variables() > 0 || shown_.contains(id)) return false;
    for (const Consumers::Use& use : consumers_.of(id)) {
      if (!kept_[use.node]) continue;
      if (use.node != reader || use.input < 0) return false;
    }
    return true;
  }

  void JoinProducers(int m) {
    for (const OutputRef in : graph_.node(members_[m].node).inputs()) {
      const int producer = in.node == kNoNode ? -1 : member_of_[in.node];
      if (producer < 0 || group_of_[producer] == group_of_[m] || !Alike(producer, m) ||
          !IsOnlyFor(producer, members_[m].node)) {
        continue;
      }
      Join(group_of_[producer], group_of_[m]);
    }
  }

  void Join(int from, int to) {
    if (groups_[from].size() + groups_[to].size() > FusedProgram::kMostSteps) return;
    for (const int m : groups_[from]) group_of_[m] = to;
    groups_[to].insert(groups_[to].end(), groups_[from].begin(), groups_[from].end());
    groups_[from].clear();
  }

  bool Updates(int group) const {
    return std::any_of(groups_[group].begin(), groups_[group].end(),
                       [&](int m) { return members_[m].fusible->num_variables() > 0; });
  }

  // Groups that update variables and read one tensor.
  void JoinUpdates() {
    absl::flat_hash_map<OutputRef, int> reader_of;  // a member of the group that reads it
    for (size_t m = 0; m < members_.size(); ++m) {
      const int member = static_cast<int>(m);
      if (!Updates(group_of_[member])) continue;
      const Node& node = graph_.node(members_[m].node);
      for (int i = members_[m].fusible->num_variables(); i < node.num_inputs(); ++i) {
        const OutputRef in = node.input(i);
        const Node& producer = graph_.node(in.node);
        if (producer.output_shape(in.index).num_elements() <= 1) continue;
        const auto [it, added] = reader_of.try_emplace(in, member);
        const int other = group_of_[it->second], own = group_of_[member];
        if (added || other == own || !Alike(it->second, member) || LeadsBack(other, own) ||
            LeadsBack(own, other)) {
          continue;
        }
        Join(other, own);
      }
    }
  }

  // Whether a path leads from one group through nodes outside of both into the other, or straight
  // into it: a group already counts as one node, whose members wait for each other.
  bool LeadsBack(int from, int to) const {
    absl::flat_hash_set<NodeId> seen;
    std::vector<NodeId> open;
    const auto leave = [&](int group) {
      for (const int m : groups_[group]) {
        for (const Consumers::Use& use : consumers_.of(members_[m].node)) {
          if (kept_[use.node] && seen.insert(use.node).second) open.push_back(use.node);
        }
      }
    };
    leave(from);
    absl::flat_hash_set<int> passed = {from};
    while (!open.empty()) {
      if (seen.size() > kMostVisits) return true;
      const NodeId id = open.back();
      open.pop_back();
      const int member = member_of_[id];
      const int group = member < 0 ? -1 : group_of_[member];
      if (group == to) return true;
      if (group >= 0) {
        if (passed.insert(group).second) leave(group);
        continue;
      }
      for (const Consumers::Use& use : consumers_.of(id)) {
        if (kept_[use.node] && seen.insert(use.node).second) open.push_back(use.node);
      }
    }
    return false;
  }

  const GraphPart& part_;
  const Graph& graph_;
  const FusionRequest& request_;
  const Consumers& consumers_;
  const std::vector<FusionMember>& members_;
  std::vector<bool> kept_;
  std::vector<int> member_of_;            // by node
  std::vector<int> group_of_;             // by member
  std::vector<std::vector<int>> groups_;  // members
  absl::flat_hash_set<NodeId> shown_;     // fetched, or a target
};

}  // namespace

std::vector<std::vector<FusionMember>> FindFusionGroups(const GraphPart& part,
                                                        const FusionRequest& request,
                                                        const Consumers& consumers,
                                                        const std::vector<FusionMember>& members) {
  return GroupFinder(part, request, consumers, members).Run();
}

}  // namespace warpbeam
