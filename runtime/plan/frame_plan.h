// FramePlan: what a plan with loops of Enter, Exit and NextIteration has besides its items.
//
// Which loop (frame) an item runs in is known from the graph, so a frame's layout is fixed when the
// plan is compiled: one iteration is an array of slots and an array of item states, copied from a
// template when the iteration starts. Slots of items are numbered within their frame: inputs in the
// frame that the item runs in, outputs in the frame that its readers are in (for an Enter the loop,
// for an Exit what is around it). Frame 0 is what lies outside of all loops.
//
// runtime/compile/frame_layout.h makes it.
//
// Ownership: plain data, owned by the plan. Thread safety: immutable once laid out.
#ifndef WARPBEAM_RUNTIME_PLAN_FRAME_PLAN_H_
#define WARPBEAM_RUNTIME_PLAN_FRAME_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/plan/straight_loop.h"

namespace warpbeam {

// How an item is run. Only kCompute calls a kernel; the others move values between slots.
enum class FrameKind : uint8_t {
  kCompute,
  kConstant,
  kHandOn,  // output 0 is input 0
  kSwitch,
  kMerge,
  kEnter,
  kConstantEnter,  // the value is there in every iteration
  kExit,
  kNextIteration,
};

// From an item to one that waits for it.
struct FrameEdge {
  int32_t item = 0;
  int32_t output = -1;  // of the producer; -1: a control edge
  int32_t input = -1;   // of a merge
};

struct FrameItem {
  int32_t frame = 0;  // that it runs in
  int32_t index = 0;  // of its state in the frame's iterations
  Range edges;        // in FramePlan::edges
  FrameKind kind = FrameKind::kCompute;
  bool always_alive = false;
  bool needs_index = false;     // a merge whose second output has readers
  bool leads_in = false;        // an Enter, or a copy of what one gives
  int32_t enters = -1;          // frame that an Enter opens
  int32_t ns_per_element = 0;   // 0: always cheap
  int32_t num_data_inputs = 0;  // of a merge
  int32_t exit = -1;            // of an Exit: its number among those of its frame
  bool is_unread = false;       // of an Exit: nobody wants its value
};

// What an iteration knows of an item that has not run yet.
struct ItemState {
  // Inputs that are still to come. Of a merge: twice the control inputs, and 1 until one of the
  // data inputs has arrived alive.
  int32_t pending = 0;
  int32_t dead = 0;         // dead inputs so far
  int32_t live_input = -1;  // of a merge
};

struct FrameLayout {
  int32_t parent = 0;
  int32_t child_index = 0;  // among the children of its parent
  int32_t num_children = 0;
  std::string name;
  int32_t parallel_iterations = 1;
  int32_t num_enters = 0;
  int32_t num_exits = 0;
  int32_t num_slots = 0;
  std::vector<ItemState> states;                 // template, by FrameItem::index
  std::vector<int32_t> readers;                  // template, by slot: how often it is released
  std::vector<int32_t> enters;                   // items
  std::unique_ptr<const StraightLoop> straight;  // null: none
};

struct FramePlan {
  std::vector<FrameLayout> frames;
  std::vector<FrameItem> items;  // by item
  std::vector<FrameEdge> edges;
  std::vector<int32_t> initial_items;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_PLAN_FRAME_PLAN_H_
