// LayOutStraightLoop: finds out whether a loop of a plan can be run straight, and lays it out for
// that.
//
//   std::unique_ptr<StraightLoop> loop = LayOutStraightLoop(plan, links);   // null: it cannot
//
// Ownership: the result is its caller's. Thread safety: a pure function. Errors: none.
#ifndef WARPBEAM_RUNTIME_COMPILE_STRAIGHT_LAYOUT_H_
#define WARPBEAM_RUNTIME_COMPILE_STRAIGHT_LAYOUT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/plan/straight_loop.h"

namespace warpbeam {

// What is known of a frame and of a plan's slots before slots are numbered frame by frame.
struct FrameLinks {
  int32_t frame = 0;
  const std::vector<int32_t>& items;      // that run in the frame, in their order
  const std::vector<int32_t>& enters;     // that open it
  const std::vector<int32_t>& producers;  // by slot; -1: a constant or a feed
};

// The frame as a straight loop; null when it is none.
std::unique_ptr<StraightLoop> LayOutStraightLoop(const Plan& plan, const FrameLinks& links);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_COMPILE_STRAIGHT_LAYOUT_H_
