// GroupIntoTasks: which items of a plan run in one go.
//
// An item that is cheap joins the task of its predecessors when that closes no cycle: all its
// predecessors are in that task, or in tasks that the task waits for anyway. Everything else starts
// a task. A plan of cheap items on one lane of host threads is a single task in its original order.
//
//   GroupIntoTasks(costs, &plan);
//
// Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_TASK_GROUPING_H_
#define WARPBEAM_RUNTIME_COMPILE_TASK_GROUPING_H_

#include <vector>

#include "runtime/plan/item_cost.h"
#include "runtime/plan/plan.h"

namespace warpbeam {

// Fills the program's tasks from its items and plan->facts.edges. The items of a task come to lie
// side by side, which renumbers them. `costs` are those of the items as they were.
void GroupIntoTasks(const std::vector<ItemCost>& costs, Plan* plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_TASK_GROUPING_H_
