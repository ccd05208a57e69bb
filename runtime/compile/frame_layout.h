// LayOutFrames: lays out the loops of a plan, frame by frame.
//
//   WB_RETURN_IF_ERROR(LayOutFrames(loops, costs, kept_slots, &plan));
//
// Thread safety: a pure function. Errors: INTERNAL when the plan contradicts the frames.
#ifndef WARPBEAM_RUNTIME_COMPILE_FRAME_LAYOUT_H_
#define WARPBEAM_RUNTIME_COMPILE_FRAME_LAYOUT_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "graph/passes/loop_frames.h"
#include "runtime/plan/frame_plan.h"
#include "runtime/plan/item_cost.h"

namespace warpbeam {

// Fills the program's frames and renumbers its slots; in the place of grouping into tasks and of
// AddLifetimes. `costs` are those of the items; `kept` slots are fetched.
Status LayOutFrames(const LoopFrames& loops, const std::vector<ItemCost>& costs,
                    const absl::flat_hash_set<int32_t>& kept, Plan* plan);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_FRAME_LAYOUT_H_
