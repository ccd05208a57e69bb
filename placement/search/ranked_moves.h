// RankMoves: what a step would take if one group were elsewhere: why each one is where it is, and
// what would help or hurt most.
//
//   const std::vector<GroupMoves> moves = RankMoves(step, machine, groups, found.devices, 20'000);
//   moves[0].best_device, moves[0].best_step_s;        // the best of its other devices
//
// Groups that take most time come first; where there are more moves than are to be simulated, those
// of the last groups are left out. Groups with one device to be on have no moves.
//
// Ownership: values. Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_PLACEMENT_SEARCH_RANKED_MOVES_H_
#define WARPBEAM_PLACEMENT_SEARCH_RANKED_MOVES_H_

#include <cstdint>
#include <vector>

#include "placement/search/movable_groups.h"
#include "placement/simulate/simulator.h"

namespace warpbeam {

struct GroupMoves {
  int group = 0;
  double seconds = 0;  // of its nodes where they are
  // Of its other devices, the one with the shortest step and the one with the longest.
  int best_device = 0, worst_device = 0;
  double best_step_s = 0, worst_step_s = 0;
};

// `devices` are those of the groups. At most `most_steps` steps are simulated.
std::vector<GroupMoves> RankMoves(const StepGraph& step, const Machine& machine,
                                  const MovableGroups& groups, const std::vector<int>& devices,
                                  int64_t most_steps);

}  // namespace warpbeam

#endif  // WARPBEAM_PLACEMENT_SEARCH_RANKED_MOVES_H_
