#include "placement/search/ranked_moves.h"

#include <algorithm>

namespace warpbeam {

std::vector<GroupMoves> RankMoves(const StepGraph& step, const Machine& machine,
                                  const MovableGroups& groups, const std::vector<int>& devices,
                                  int64_t most_steps) {
  std::vector<int> node_devices(step.num_nodes());
  std::vector<GroupMoves> all;
  for (int g = 0; g < groups.size(); ++g) {
    GroupMoves moves;
    moves.group = g;
    for (int k : groups.members[g]) {
      node_devices[k] = devices[g];
      if (!step.is_source(k)) moves.seconds += step.Seconds(k, devices[g]);
    }
    if (moves.seconds > 0 && groups.allowed[g].size() > 1) all.push_back(moves);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const GroupMoves& a, const GroupMoves& b) { return a.seconds > b.seconds; });
  Simulator simulator(&step, &machine);
  size_t ranked = 0;
  for (; ranked < all.size(); ++ranked) {
    GroupMoves& moves = all[ranked];
    const std::vector<int>& allowed = groups.allowed[moves.group];
    most_steps -= static_cast<int64_t>(allowed.size()) - 1;
    if (most_steps < 0) break;
    bool first = true;
    for (int device : allowed) {
      if (device == devices[moves.group]) continue;
      for (int k : groups.members[moves.group]) node_devices[k] = device;
      const double step_s = simulator.Run(node_devices);
      if (first || step_s < moves.best_step_s) {
        moves.best_step_s = step_s;
        moves.best_device = device;
      }
      if (first || step_s > moves.worst_step_s) {
        moves.worst_step_s = step_s;
        moves.worst_device = device;
      }
      first = false;
    }
    for (int k : groups.members[moves.group]) node_devices[k] = devices[moves.group];
  }
  all.resize(ranked);
  return all;
}

}  // namespace warpbeam
