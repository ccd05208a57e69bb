// SearchPlacement: a placement of a step's nodes that takes less simulated time than the one that
// the placer gave, if there is one to be found.
//
//   SearchOptions options;
//   options.evaluations = 20'000;
//   WB_ASSIGN_OR_RETURN(FoundPlacement found, SearchPlacement(step, machine, groups, options));
//   found.step_s, found.default_step_s, found.lower_bound_s
//
// It begins with several placements: the one given, all on one device for each device, slices of
// the step in its order by work and by memory, and a list of earliest finishes. From the best of
// them it climbs: a group, or a group with the neighbours that it exchanges most with, goes to
// another device, or two groups change places; what is not worse is kept. When nothing better comes
// for a while it goes back to the best and shakes it. Where more than 2,000 groups may move, half
// of the evaluations and of the time go to larger ones (coarse_groups.h), whose placement is a
// further beginning. A placement that needs more memory than there is counts as worse than any that
// does not.
//
// Never worse than the placement given. The same for the same seed and number of evaluations where
// neither a budget of time nor `stop` ends it first. Ownership: values. Thread safety: a pure
// function. Errors: RESOURCE_EXHAUSTED where no placement was found that fits, naming the memories
// and what they would need.
#ifndef WARPBEAM_PLACEMENT_SEARCH_PLACEMENT_SEARCH_H_
#define WARPBEAM_PLACEMENT_SEARCH_PLACEMENT_SEARCH_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "placement/search/movable_groups.h"
#include "placement/simulate/simulator.h"

namespace warpbeam {

struct SearchOptions {
  uint64_t seed = 1;
  int64_t evaluations = 20'000;  // simulated steps; at least those of the beginnings are made
  double budget_s = 0;           // 0: only evaluations end it
  double memory_share = 1;       // of each memory that may be used
  // Ends the search once it is true, with the best so far; may be null.
  const std::atomic<bool>* stop = nullptr;
};

struct FoundPlacement {
  std::vector<int> devices;  // by group
  double step_s = 0;
  double default_step_s = 0;
  bool default_fits = true;
  double lower_bound_s = 0;
  int64_t evaluations = 0;
  std::string start;  // which beginning it came from

  // Of the nodes of the graph.
  std::vector<Site> Sites(const MovableGroups& groups) const;
};

StatusOr<FoundPlacement> SearchPlacement(const StepGraph& step, const Machine& machine,
                                         const MovableGroups& groups, const SearchOptions& options);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SEARCH_PLACEMENT_SEARCH_H_
