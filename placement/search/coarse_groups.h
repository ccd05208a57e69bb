// CoarseGroups: fewer and larger groups of a large step, to be placed before its own groups are.
//
//   const CoarseGroups coarse = CoarseGroups::Of(step, groups, /*most=*/2'000);
//   const auto found = SearchPlacement(step, machine, coarse.groups, options);
//   coarse.Fine(found->devices);                // by group of the step's own
//
// Again and again each group that may move joins the neighbour with which it exchanges most, of
// those that may go to the same devices, are on the same one now, and are not too large together. A
// group of no neighbours joins another such one. What may not move stays as it is.
//
// Ownership: a value. Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_PLACEMENT_SEARCH_COARSE_GROUPS_H_
#define WARPBEAM_PLACEMENT_SEARCH_COARSE_GROUPS_H_

#include <vector>

#include "placement/search/movable_groups.h"

namespace warpbeam {

struct CoarseGroups {
  MovableGroups groups;
  std::vector<int> coarse_of;  // by group of the step's own

  // About `most` groups that may move, if they can be joined so far.
  static CoarseGroups Of(const StepGraph& step, const MovableGroups& groups, int most);
  // How many of the groups take time or memory and have a choice.
  static int CountMovable(const StepGraph& step, const MovableGroups& groups);
  std::vector<int> Fine(const std::vector<int>& devices) const;
};

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SEARCH_COARSE_GROUPS_H_
