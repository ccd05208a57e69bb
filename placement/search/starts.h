// Placements to begin a search with, which look at a step once and simulate nothing.
//
//   for (const StartPlacement& start : StartPlacements(step, machine, groups)) …
//
// The first is the one that the groups have. A group of which the step has nothing stays where it
// is. Ownership: values. Thread safety: a pure function.
// Errors: none.
#ifndef WARPBEAM_PLACEMENT_SEARCH_STARTS_H_
#define WARPBEAM_PLACEMENT_SEARCH_STARTS_H_

#include <string>
#include <vector>

#include "placement/search/movable_groups.h"

namespace warpbeam {

struct StartPlacement {
  std::string name;          // as people read it: "default", "all on GPU:0"…
  std::vector<int> devices;  // by group, all allowed
};

std::vector<StartPlacement> StartPlacements(const StepGraph& step, const Machine& machine,
                                            const MovableGroups& groups);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SEARCH_STARTS_H_
