#include "runtime/effects/collective_meetings.h"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/strings/str_join.h"
#include "graph/node_roles.h"
#include "graph/types/shown_name.h"

namespace warpbeam {
namespace {

auto FindInput(const OpSchema& op, absl::string_view name) {
  return std::find_if(op.inputs.begin(), op.inputs.end(),
                      [&](const ArgSpec& input) { return input.name == name; });
}

bool HasKey(const OpSchema& op, absl::string_view name) {
  return op.FindAttr(name) != nullptr || FindInput(op, name) != op.inputs.end();
}

}  // namespace

CollectiveMeetings::CollectiveMeetings(const Graph& graph, const std::vector<OutputRef>& feeds,
                                       const std::vector<bool>& runs)
    : graph_(graph), fed_(feeds.begin(), feeds.end()), runs_(runs) {
  const auto size = static_cast<NodeId>(std::min<size_t>(runs.size(), graph.num_nodes()));
  for (NodeId id = 0; id < size; ++id) {
    if (runs[id]) Note(graph.node(id));
  }
}

void CollectiveMeetings::Note(const Node& node) {
  if (node.role() != OpRole::kCollective) return;
  Meeting noted;
  const std::optional<int64_t> size = SizeOf(node);
  if (!size) return;
  noted.size = *size;
  if (node.op().FindAttr("shared_name") != nullptr) {
    noted.name =
        absl::StrCat("shared_name '", node.attrs().GetOr<std::string>("shared_name", ""), "'");
  } else {
    const auto group = KeyOf(node, "group_key"), instance = KeyOf(node, "instance_key");
    const bool makes_communicator = !HasKey(node.op(), "instance_key");
    if (!group || (!instance && !makes_communicator)) return;
    noted.name = makes_communicator
                     ? absl::StrCat("group_key ", *group, ", a communicator")
                     : absl::StrCat("group_key ", *group, ", instance_key ", *instance);
  }
  const auto [found, is_new] = by_name_.try_emplace(noted.name, static_cast<int>(meetings_.size()));
  if (is_new) meetings_.push_back(std::move(noted));
  meetings_[found->second].members.push_back(node.id());
  meeting_of_[node.id()] = found->second;
}

std::optional<int64_t> CollectiveMeetings::SizeOf(const Node& node) const {
  return KeyOf(node, node.op().FindAttr("num_devices") != nullptr ? "num_devices" : "group_size");
}

// What says with whom: an input of this name, or an attribute where there is none.
std::optional<int64_t> CollectiveMeetings::KeyOf(const Node& node, absl::string_view name) const {
  const std::vector<ArgSpec>& inputs = node.op().inputs;
  const auto at = FindInput(node.op(), name);
  if (at == inputs.end()) {
    // The collectives of a communicator have no keys: they are counted when they run.
    if (!HasKey(node.op(), name)) return std::nullopt;
    return node.attrs().GetOr<int64_t>(StdView(name), 0);
  }
  const OutputRef input = node.input(static_cast<int>(at - inputs.begin()));
  if (fed_.contains(input)) return std::nullopt;
  const std::optional<Tensor> value = graph_.ConstantValue(input);
  if (!value || value->dtype() != DType::kInt32 || value->rank() != 0) return std::nullopt;
  return value->scalar<int32_t>();
}

// Runs the step in thought, level by level: whoever meets ends when all have arrived.
class CollectiveMeetings::Rehearsal {
 public:
  explicit Rehearsal(const CollectiveMeetings& meetings)
      : all_(meetings),
        missing_(meetings.runs_.size(), 0),
        successors_(missing_.size()),
        depth_(missing_.size(), 0),
        ended_(missing_.size(), false),
        arrived_(meetings.meetings_.size(), 0) {}

  StatusOr<std::vector<int>> Run() {
    for (NodeId id = 0; id < size(); ++id) {
      if (!all_.runs_[id]) continue;
      ForEachPredecessor(id, [&](NodeId before) {
        ++missing_[id];
        successors_[before].push_back(id);
      });
      if (missing_[id] == 0) Reach(id);
    }
    while (!ready_.empty()) {
      const Ready next = ready_.top();
      ready_.pop();
      if (const int meeting = std::get<kMeeting>(next); meeting < 0) {
        End(std::get<kNode>(next));
      } else {
        order_.push_back(meeting);
        for (const NodeId member : all_.meetings_[meeting].members) End(member);
      }
    }
    if (order_.size() < all_.meetings_.size()) return Describe();
    return std::move(order_);
  }

 private:
  // What can end: at which depth, a node (and no meeting), or a meeting.
  using Ready = std::tuple<int32_t, std::string, int, NodeId>;
  enum Field { kDepth, kName, kMeeting, kNode };

  NodeId size() const { return static_cast<NodeId>(missing_.size()); }

  template <typename Fn>
  void ForEachPredecessor(NodeId id, Fn fn) const {
    const Node& node = all_.graph_.node(id);
    for (const OutputRef input : node.inputs()) {
      if (input.node < 0 || all_.fed_.contains(input)) continue;
      if (!IsLoopBackEdge(all_.graph_.node(input.node), node)) fn(input.node);
    }
    for (const NodeId control : node.control_inputs()) fn(control);
  }

  // The node's inputs are there.
  void Reach(NodeId id) {
    const auto found = all_.meeting_of_.find(id);
    if (found == all_.meeting_of_.end()) {
      ready_.emplace(depth_[id], "", -1, id);
      return;
    }
    missing_[id] = -1;  // has arrived
    const Meeting& meeting = all_.meetings_[found->second];
    if (++arrived_[found->second] < meeting.members.size()) return;
    int32_t depth = 0;
    for (const NodeId member : meeting.members) depth = std::max(depth, depth_[member]);
    for (const NodeId member : meeting.members) depth_[member] = depth;
    ready_.emplace(depth, meeting.name, found->second, kNoNode);
  }

  void End(NodeId id) {
    ended_[id] = true;
    for (const NodeId next : successors_[id]) {
      depth_[next] = std::max(depth_[next], depth_[id] + 1);
      if (--missing_[next] == 0) Reach(next);
    }
  }

  // Follows who waits for whom until a collective comes up again.
  Status Describe() const {
    std::vector<int> path;
    std::vector<std::string> waits;
    const auto start = std::find_if(
        all_.meetings_.begin(), all_.meetings_.end(),
        [&](const auto& m) { return arrived_[&m - all_.meetings_.data()] < m.members.size(); });
    auto at = static_cast<int>(start - all_.meetings_.begin());
    while (std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      const std::vector<NodeId>& members = all_.meetings_[at].members;
      const auto late =
          std::find_if(members.begin(), members.end(), [&](NodeId id) { return missing_[id] > 0; });
      if (late == members.end()) break;
      const std::optional<NodeId> before = CollectiveBefore(*late);
      if (!before) break;
      at = all_.meeting_of_.at(*before);
      waits.push_back(absl::StrCat("'", ShownName(all_.graph_.node(*late).name()), "' runs after '",
                                   ShownName(all_.graph_.node(*before).name()), "' (",
                                   ShownName(all_.meetings_[at].name), ")"));
    }
    return FailedPrecondition(
        "the step could never end: collectives wait for each other: ", absl::StrJoin(waits, "; "),
        "; run them in the same order on all devices");
  }

  // A member that has not ended and that `node` waits for.
  std::optional<NodeId> CollectiveBefore(NodeId node) const {
    absl::flat_hash_set<NodeId> seen = {node};
    std::vector<NodeId> to_visit = {node};
    std::optional<NodeId> found;
    while (!to_visit.empty() && !found) {
      const NodeId id = to_visit.back();
      to_visit.pop_back();
      ForEachPredecessor(id, [&](NodeId before) {
        if (ended_[before] || !seen.insert(before).second) return;
        if (all_.meeting_of_.contains(before)) found = before;
        to_visit.push_back(before);
      });
    }
    return found;
  }

  const CollectiveMeetings& all_;
  std::vector<int32_t> missing_;  // by node: predecessors that have not ended; -1: waits to meet
  std::vector<std::vector<NodeId>> successors_;
  std::vector<int32_t> depth_;
  std::vector<bool> ended_;
  std::vector<size_t> arrived_;  // by meeting
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::vector<int> order_;
};

StatusOr<std::vector<int>> CollectiveMeetings::Order() const { return Rehearsal(*this).Run(); }

}  // namespace warpbeam
