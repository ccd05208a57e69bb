// CheckCollectives (step_checks.h): a member of a collective waits for all others of its group and
// instance, which only the same step runs. Here are the steps that would wait for ever.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "graph/types/shown_name.h"
#include "runtime/effects/collective_meetings.h"
#include "runtime/session/step_checks.h"

namespace warpbeam {
namespace {

using Meeting = CollectiveMeetings::Meeting;

class CollectiveChecks {
 public:
  CollectiveChecks(const Graph& graph, const std::vector<OutputRef>& feeds,
                   const std::vector<bool>& runs, bool are_all)
      : graph_(graph), meetings_(graph, feeds, runs), are_all_(are_all) {}

  Status Check() {
    if (meetings_.all().empty()) return OkStatus();
    if (!IsInFunctions()) {
      for (const Meeting& meeting : meetings_.all()) WB_RETURN_IF_ERROR(CheckNumber(meeting));
    }
    return meetings_.Order().status();
  }

 private:
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

  Status CheckNumber(const Meeting& meeting) const {
    const auto count = static_cast<int64_t>(meeting.members.size());
    if (count == meeting.size || meeting.size <= 0) return OkStatus();
    if (count < meeting.size && !are_all_) return OkStatus();
    const Node& first = graph_.node(meeting.members[0]);
    if (HasDifferentSizes(meeting)) return OkStatus();  // the kernels say more of that
    return FailedPrecondition(
        "the step could never end: '", ShownName(first.name()), "' (", first.op_name(),
        ") is of a group of ", meeting.size, " (", ShownName(meeting.name),
        "), of which the step runs ", count, ": ", Names(meeting),
        count < meeting.size ? "; fetch all members of a collective in one step"
                             : "; give every collective keys of its own");
  }
  bool HasDifferentSizes(const Meeting& meeting) const {
    return std::any_of(meeting.members.begin(), meeting.members.end(), [&](NodeId member) {
      return meetings_.SizeOf(graph_.node(member)).value_or(0) != meeting.size;
    });
  }
  std::string Names(const Meeting& meeting) const {
    return absl::StrJoin(meeting.members, ", ", [&](std::string* out, NodeId id) {
      absl::StrAppend(out, "'", ShownName(graph_.node(id).name()), "'");
    });
  }

  const Graph& graph_;
  const CollectiveMeetings meetings_;
  const bool are_all_;
};

}  // namespace

Status CheckCollectives(const Graph& graph, const std::vector<OutputRef>& feeds,
                        const std::vector<bool>& runs, bool are_all) {
  return CollectiveChecks(graph, feeds, runs, are_all).Check();
}

}  // namespace warpbeam
