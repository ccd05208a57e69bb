// GroupDecider: the device of a group of colocated nodes.
//
// Requests count in the order of GroupRole: those of owners are merged and must agree; then those
// of plain members, which must agree too (under soft placement type and number of a contradiction
// are dropped); then those of readers, as far as they do not contradict; followers, which name
// another member by "loc:@", only confirm. Then one device is chosen on which every member has a
// kernel.
//
// Internal to placement/. Thread safety: none. Errors: Decide returns false after adding to
// `problems`.
#ifndef WARPBEAM_PLACEMENT_GROUP_DECISION_H_
#define WARPBEAM_PLACEMENT_GROUP_DECISION_H_

#include <string>
#include <vector>

#include "placement/colocation.h"
#include "placement/placement_messages.h"
#include "placement/placer_state.h"

namespace warpbeam {

class GroupDecider {
 public:
  // `types`, `requests` and `decisions` belong to the nodes from `first` on.
  GroupDecider(const ColocationGroups& groups, NodeId first, const std::vector<DeviceTypes>& types,
               const std::vector<int32_t>& requests, const PlacementMessages& messages,
               PlacerState* state)
      : groups_(groups),
        first_(first),
        types_(types),
        requests_(requests),
        messages_(messages),
        state_(state) {}

  bool Decide(const ColocationGroups::Group& group, std::vector<Decision>* decisions,
              PlacementProblems* problems);
  // The same for a node alone.
  bool DecideAlone(NodeId node, Decision* decision, PlacementProblems* problems);

 private:
  struct Merged {
    int request = 0;
    NodeId decider = kNoNode;  // whose request it is, mainly
    bool contradicted = false;
  };
  bool Merge(const ColocationGroups::Group& group, Merged* merged, PlacementProblems* problems);
  bool MergeMember(NodeId member, GroupRole role, const ColocationGroups::Group& group,
                   Merged* merged, PlacementProblems* problems);
  // What is wrong when no device fits.
  std::string Misfit(int request, NodeId asker, DeviceTypes types,
                     Span<const NodeId> members) const;
  // The member whose kernels keep the group from a better device.
  NodeId Limiter(int request, Span<const NodeId> members) const;
  Decision Explain(NodeId member, const Merged& merged, const DeviceChoice& choice, NodeId limiter,
                   NodeId anchor) const;

  int request(NodeId node) const { return requests_[node - first_]; }
  DeviceTypes types(NodeId node) const { return types_[node - first_]; }

  const ColocationGroups& groups_;
  const NodeId first_;
  const std::vector<DeviceTypes>& types_;
  const std::vector<int32_t>& requests_;
  const PlacementMessages& messages_;
  PlacerState* const state_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_GROUP_DECISION_H_
