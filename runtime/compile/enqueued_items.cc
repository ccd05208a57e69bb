#include "runtime/compile/enqueued_items.h"

#include <algorithm>
#include <vector>

namespace warpbeam {

void FindEnqueued(Plan* plan) {
  Program& program = plan->program;
  const auto enqueues = [](const Lane& lane) { return lane.enqueues(); };
  if (std::none_of(program.lanes.begin(), program.lanes.end(), enqueues)) return;
  std::vector<bool> used(program.lanes.size(), false);
  for (size_t i = 0; i < program.items.size(); ++i) {
    const int32_t lane = program.items[i].lane;
    used[lane] = true;
    program.items[i].enqueues = program.lanes[lane].enqueues();
    for (const int32_t p : plan->facts.edges.of(static_cast<int32_t>(i))) {
      PlanItem& before = program.items[p];
      before.is_awaited |= before.lane != lane && program.lanes[before.lane].enqueues();
    }
  }
  for (size_t l = 0; l < used.size(); ++l) {
    if (used[l] && program.lanes[l].enqueues()) {
      program.enqueuing_lanes.push_back(static_cast<int32_t>(l));
    }
  }
}

}  // namespace warpbeam
