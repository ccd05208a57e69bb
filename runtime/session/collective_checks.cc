// CheckCollectives (step_checks.h): a member of a collective waits for all others of its group and
// instance, which only the same step runs. Here are the steps that would wait for ever.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "runtime/session/step_checks.h"

namespace warpbeam {
namespace {

// What meets, as far as the step runs it.
struct Meeting {
  std::string name;  // "group_key 1, instance_key 2"
  int64_t size = 0;
  std::vector<NodeId> members;
  size_t arrived = 0;
};

class CollectiveChecks {
 public:
  CollectiveChecks(const Graph& graph, const std::vector<OutputRef>& feeds,
                   const std::vector<bool>& runs)
      : graph_(graph), fed_(feeds.begin(), feeds.end()), runs_(runs) {}

  absl::Status Check() {
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (runs_[id]) Note(graph_.node(id));
    }
    if (meetings_.empty()) return absl::OkStatus();
    if (!IsInFunctions()) {
      for (const auto& entry : meetings_) WB_RETURN_IF_ERROR(CheckNumber(entry.second));
    }
    return CheckOrder();
  }

 private:
  // Members whose keys are computed are left to the run.
  void Note(const Node& node) {
    if (node.role() != OpRole::kCollective) return;
    Meeting noted;
    const std::optional<int64_t> size = Size(node);
    if (!size) return;
    noted.size = *size;
    if (node.op().FindAttr("shared_name") != nullptr) {
      noted.name =
          absl::StrCat("shared_name '", node.attrs().GetOr<std::string>("shared_name", ""), "'");
    } else {
      const auto group = Key(node, "group_key"), instance = Key(node, "instance_key");
      if (!group || !instance) return;
      noted.name = absl::StrCat("group_key ", *group, ", instance_key ", *instance);
    }
    Meeting& meeting = meetings_.try_emplace(noted.name, noted).first->second;
    meeting.members.push_back(node.id());
    meeting_of_[node.id()] = &meeting;
  }
  // How many meet.
  std::optional<int64_t> Size(const Node& node) const {
    return Key(node, node.op().FindAttr("num_devices") != nullptr ? "num_devices" : "group_size");
  }
  // What says with whom: an input of this name, or an attribute where there is none.
  std::optional<int64_t> Key(const Node& node, absl::string_view name) const {
    const std::vector<ArgSpec>& inputs = node.op().inputs;
    const auto at = std::find_if(inputs.begin(), inputs.end(),
                                 [&](const ArgSpec& input) { return input.name == name; });
    if (at == inputs.end()) return node.attrs().GetOr<int64_t>(name, 0);
    const OutputRef input = node.input(static_cast<int>(at - inputs.begin()));
    if (fed_.contains(input)) return std::nullopt;
    const std::optional<Tensor> value = graph_.ConstantValue(input);
    if (!value || value->dtype() != DType::kInt32 || value->rank() != 0) return std::nullopt;
    return value->scalar<int32_t>();
  }

  // Members may be in functions, too, which are not looked into.
  bool IsInFunctions() const {
    const auto& functions = graph_.functions().functions();
    return std::any_of(functions.begin(), functions.end(), [&](const auto& entry) {
      const auto& nodes = entry.second->nodes;
      return std::any_of(nodes.begin(), nodes.end(), [&](const NodeSpec& node) {
        const OpSchema* const op = graph_.ops().Find(node.op);
        return op != nullptr && op->role == OpRole::kCollective;
      });
    });
  }

  absl::Status CheckNumber(const Meeting& meeting) const {
    const auto count = static_cast<int64_t>(meeting.members.size());
    if (count == meeting.size || meeting.size <= 0) return absl::OkStatus();
    const Node& first = graph_.node(meeting.members[0]);
    if (HasDifferentSizes(meeting)) return absl::OkStatus();  // the kernels say more of that
    return FailedPrecondition(
        "the step could never end: '", ShownName(first.name()), "' (", first.op_name(),
        ") is of a group of ", meeting.size, " (", ShownName(meeting.name),
        "), of which the step runs ", count, ": ", Names(meeting),
        count < meeting.size ? "; fetch all members of a collective in one step"
                             : "; give every collective keys of its own");
  }
  bool HasDifferentSizes(const Meeting& meeting) const {
    return std::any_of(meeting.members.begin(), meeting.members.end(), [&](NodeId member) {
      return Size(graph_.node(member)).value_or(0) != meeting.size;
    });
  }
  std::string Names(const Meeting& meeting) const {
    return absl::StrJoin(meeting.members, ", ", [&](std::string* out, NodeId id) {
      absl::StrAppend(out, "'", ShownName(graph_.node(id).name()), "'");
    });
  }

  template <typename Fn>
  void ForEachPredecessor(const Node& node, Fn fn) const {
    for (OutputRef input : node.inputs()) {
      if (input.node < 0 || fed_.contains(input)) continue;
      if (!IsLoopBackEdge(graph_.node(input.node), node)) fn(input.node);
    }
    for (NodeId control : node.control_inputs()) fn(control);
  }

  // Runs the step in thought: whoever meets ends when all have arrived.
  absl::Status CheckOrder() {
    std::vector<int32_t> missing(graph_.num_nodes(), 0);
    std::vector<std::vector<NodeId>> successors(graph_.num_nodes());
    std::vector<NodeId> ready;
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      if (!runs_[id]) continue;
      ForEachPredecessor(graph_.node(id), [&](NodeId before) {
        ++missing[id];
        successors[before].push_back(id);
      });
      if (missing[id] == 0) ready.push_back(id);
    }
    ended_.assign(graph_.num_nodes(), false);
    const auto end = [&](NodeId id) {
      ended_[id] = true;
      for (NodeId next : successors[id]) {
        if (--missing[next] == 0) ready.push_back(next);
      }
    };
    while (!ready.empty()) {
      const NodeId id = ready.back();
      ready.pop_back();
      const auto found = meeting_of_.find(id);
      if (found == meeting_of_.end()) {
        end(id);
        continue;
      }
      Meeting& meeting = *found->second;
      if (++meeting.arrived == meeting.members.size()) {
        for (NodeId member : meeting.members) end(member);
      }
      missing[id] = -1;  // has arrived
    }
    for (const auto& entry : meetings_) {
      const Meeting& meeting = entry.second;
      if (meeting.arrived < meeting.members.size()) return Describe(missing, meeting);
    }
    return absl::OkStatus();
  }

  // Follows who waits for whom until a collective comes up again.
  absl::Status Describe(const std::vector<int32_t>& missing, const Meeting& start) const {
    std::vector<const Meeting*> path;
    std::vector<std::string> waits;
    const Meeting* at = &start;
    while (at != nullptr && std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      const NodeId late = *std::find_if(at->members.begin(), at->members.end(),
                                        [&](NodeId id) { return missing[id] > 0; });
      const std::optional<NodeId> before = CollectiveBefore(late);
      if (!before) break;
      at = meeting_of_.at(*before);
      waits.push_back(absl::StrCat("'", ShownName(graph_.node(late).name()), "' runs after '",
                                   ShownName(graph_.node(*before).name()), "' (",
                                   ShownName(at->name), ")"));
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
      ForEachPredecessor(graph_.node(id), [&](NodeId before) {
        if (ended_[before] || !seen.insert(before).second) return;
        if (meeting_of_.contains(before)) found = before;
        to_visit.push_back(before);
      });
    }
    return found;
  }

  const Graph& graph_;
  const absl::flat_hash_set<OutputRef> fed_;
  const std::vector<bool>& runs_;
  std::map<std::string, Meeting> meetings_;
  absl::flat_hash_map<NodeId, Meeting*> meeting_of_;
  std::vector<bool> ended_;
};

}  // namespace

absl::Status CheckCollectives(const Graph& graph, const std::vector<OutputRef>& feeds,
                              const std::vector<bool>& runs) {
  return CollectiveChecks(graph, feeds, runs).Check();
}

}  // namespace warpbeam
