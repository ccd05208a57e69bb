// FindReplayedGroups: which items of a plan make up the tasks that are recorded and played again.
//
// On a lane that enqueues, items whose launches may be recorded (runtime/kernel/replayable.h) go
// into as few tasks as possible: one for all that can be enqueued before somebody elsewhere, or an
// item that cannot be recorded, has to be waited for, one for all from there to the next such
// place, and so on. What a step has at once (what is fed, readings of variables that the host or
// another device has, and scalars that are made of them) a task waits for at its beginning. Where a
// plan has several such devices, a task also ends soon after an item that another device or a
// collective waits for, so that both begin while the rest goes on.
//
//   const std::vector<int32_t> group = FindReplayedGroups(costs, plan);  // by item; -1: none
//
// Items of a group may follow from items that stand between them in the plan, never in a circle.
// Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_REPLAYED_GROUPS_H_
#define WARPBEAM_RUNTIME_COMPILE_REPLAYED_GROUPS_H_

#include <vector>

#include "runtime/plan/item_cost.h"
#include "runtime/plan/plan.h"

namespace warpbeam {

std::vector<int32_t> FindReplayedGroups(const std::vector<ItemCost>& costs, const Plan& plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_REPLAYED_GROUPS_H_
