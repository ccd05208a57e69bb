// Lifetimes: who is the last reader of each slot of a plan, and so may clear it and reuse its
// buffer.
//
//   AddLifetimes(kept_slots, &plan.program);     // after the items have been grouped into tasks
//
// Where all readers of a slot are in one task (or there is only one reader), the last of them is
// known and clears the slot; otherwise readers count down at run time. Constants, feeds and `kept`
// slots (fetches) are left alone. Thread safety: a pure function of the plan.
#ifndef WARPBEAM_RUNTIME_COMPILE_LIFETIMES_H_
#define WARPBEAM_RUNTIME_COMPILE_LIFETIMES_H_

#include "absl/container/flat_hash_set.h"
#include "runtime/plan/plan.h"

namespace warpbeam {

void AddLifetimes(const absl::flat_hash_set<int32_t>& kept, Program* program);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_LIFETIMES_H_
