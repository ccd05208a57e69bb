// AutoPlacement: whether and how a session searches for the placement of its graph: the one whose
// step takes least time, as far as a simulation tells, among those that keep what the graph asks
// for (placement/search). Never a longer simulated step than that of the rules.
// docs/placement_search.md tells more.
//
//   SessionOptions options;
//   options.auto_placement.evaluations = 20'000;
//   options.auto_placement.targets = {"train"};
//
// Nodes that the graph gains later are searched for, too, but what has been placed does not move.
// Ownership: a value. Thread safety: none. Errors: the session's, when it is made or its graph
// grows: INVALID_ARGUMENT for figures that make no sense and for a machine without a device that
// the session has, NOT_FOUND for a machine that cannot be read, INVALID_ARGUMENT or NOT_FOUND for
// fetches and targets that the first nodes have not, RESOURCE_EXHAUSTED where no placement was
// found that fits into the memories.
#ifndef WARPBEAM_RUNTIME_SESSION_AUTO_PLACEMENT_H_
#define WARPBEAM_RUNTIME_SESSION_AUTO_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace warpbeam {

struct AutoPlacement {
  // How many steps are simulated at most; the same number and seed give the same placement. 0: the
  // rules alone place the graph.
  int64_t evaluations = 0;
  uint64_t seed = 1;
  // What the step is whose time counts, as Run names it; neither: all that the graph has.
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  // A file that describes the devices (`warpbeam calibrate` writes one of this machine's); empty:
  // they are as devices usually are. What SessionOptions::cost_profile has measured counts with it.
  std::string machine;
  double memory_share = 1;      // of each memory that may be used
  int64_t unknown_extent = 32;  // what an extent counts as that the graph does not tell
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_AUTO_PLACEMENT_H_
