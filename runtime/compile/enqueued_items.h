// FindEnqueued: marks the items of a plan on lanes that enqueue (Lane::enqueues), and those of them
// whose work has to be waited for because one on another lane follows; and lists those lanes.
//
//   FindEnqueued(&plan);
//
// Before items are grouped into tasks. Thread safety: that of the plan. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_ENQUEUED_ITEMS_H_
#define WARPBEAM_RUNTIME_COMPILE_ENQUEUED_ITEMS_H_

#include "runtime/plan/plan.h"

namespace warpbeam {

void FindEnqueued(Plan* plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_ENQUEUED_ITEMS_H_
