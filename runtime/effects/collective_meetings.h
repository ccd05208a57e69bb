// CollectiveMeetings: the collectives of a step and the order in which they can take place.
//
// A member of a collective waits for all others of its group and instance, which only the same step
// runs. The order is found by running the step in thought: a collective takes place when its last
// member is reached, those that are reached early first, and by name where several are. It depends
// on nothing but the graph, so that every task that compiles a step finds the same.
//
//   const CollectiveMeetings meetings(graph, feeds, runs);
//   WB_ASSIGN_OR_RETURN(const std::vector<int> order, meetings.Order());
//   for (const int i : order) meetings.all()[i].members …
//
// Members whose keys are computed or fed, and those in functions, are not among them.
//
// Ownership: refers to the graph. Thread safety: a value, read from any thread. Errors:
// FAILED_PRECONDITION naming members that wait for each other.
#ifndef WARPBEAM_RUNTIME_EFFECTS_COLLECTIVE_MEETINGS_H_
#define WARPBEAM_RUNTIME_EFFECTS_COLLECTIVE_MEETINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "graph/graph.h"

namespace warpbeam {

class CollectiveMeetings {
 public:
  struct Meeting {
    std::string name;  // "group_key 1, instance_key 2"
    int64_t size = 0;  // as its first member says
    std::vector<NodeId> members;
  };

  // `runs`: by node, whether the step runs it.
  CollectiveMeetings(const Graph& graph, const std::vector<OutputRef>& feeds,
                     const std::vector<bool>& runs);

  const std::vector<Meeting>& all() const { return meetings_; }  // by their first members
  // How many the node says that meet, if that is known.
  std::optional<int64_t> SizeOf(const Node& node) const;
  // The indices of all meetings, in an order that no device's nodes contradict.
  StatusOr<std::vector<int>> Order() const;

 private:
  class Rehearsal;

  void Note(const Node& node);
  std::optional<int64_t> KeyOf(const Node& node, absl::string_view name) const;

  const Graph& graph_;
  const absl::flat_hash_set<OutputRef> fed_;
  const std::vector<bool>& runs_;
  std::vector<Meeting> meetings_;
  absl::flat_hash_map<std::string, int> by_name_;
  absl::flat_hash_map<NodeId, int> meeting_of_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_EFFECTS_COLLECTIVE_MEETINGS_H_
