// PutUpdatesForward: lets the updates of variables in a recorded task come as soon as they may.
//
// A plan has its items in the order of the graph, in which all updates follow the whole backward
// pass, so that all gradients would be in memory at a time. A task that is recorded runs its items
// one after the other in any case (replayed_groups.h): an update that makes nothing but references
// goes right behind the last of
//
// - what it waits for,
// - what else has to do with the variables that it writes and came before it in the plan,
// - who reads what was read of them, wherever that stood, so that the update finds their memory
//   held by nobody and writes it in place. Where such a reader waits for the update itself, the
//   update does not wait for it.
//
//   PutUpdatesForward(plan, &items);   // nodes of one task, in the order of the plan
//
// Updates of what is known only in a step (a handle that is fed, or an argument) stay, and nothing
// goes past them. Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_EARLY_UPDATES_H_
#define WARPBEAM_RUNTIME_COMPILE_EARLY_UPDATES_H_

#include <cstdint>
#include <vector>

#include "runtime/plan/plan.h"

namespace warpbeam {

void PutUpdatesForward(const Plan& plan, std::vector<int32_t>* items);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_EARLY_UPDATES_H_
