// LoopState: the loops of a step that are running, their iterations, and spare ones.
//
// A Loop is one execution of a frame within one iteration of the frame around it. Iterations and
// loops are taken from and given back to pools, so that the steady state allocates none.
//
//   LoopState state(plan, root_slots);
//   Loop* loop = state.StartLoop(frame, parent_iteration);   // with its iteration 0
//   Iteration* next = state.AddIteration(loop);
//   state.DropFirst(loop);  state.EndLoop(loop);
//
// Ownership: the state owns everything that it hands out. Thread safety: none; FrameStep guards it.
#ifndef WARPBEAM_RUNTIME_STEP_LOOP_STATE_H_
#define WARPBEAM_RUNTIME_STEP_LOOP_STATE_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/plan/frame_plan.h"
#include "runtime/step/straight_run.h"

namespace warpbeam {

struct Iteration;

struct Loop {
  int32_t frame = 0;
  Iteration* parent = nullptr;  // null outside of all loops
  int64_t first = 0;            // the oldest iteration that is alive
  int64_t last = 0;             // the newest that has been started
  int32_t pending_enters = 0;
  std::vector<Iteration*> ring;  // those alive, by number modulo size, which is a power of two
  // NextIterations that wait until fewer iterations are alive.
  std::vector<std::pair<int32_t, Slot>> deferred;
  // Constant Enters that have arrived; an empty slot is a dead one.
  std::vector<std::pair<int32_t, Slot>> constants;
  std::vector<int32_t> dead_exits;  // of the newest iteration
  // By FrameItem::exit: whose values have gone to the parent. A loop as it should be ends with
  // them; one that goes on may come to them again.
  std::vector<uint8_t> has_left;
  // Nothing of a straight loop starts before all Enters have come.
  bool waits_for_enters = false;
  std::unique_ptr<StraightRun> straight;  // made when it is first needed

  int64_t num_alive() const { return last - first + 1; }
  Iteration*& at(int64_t number) { return ring[static_cast<size_t>(number) & (ring.size() - 1)]; }
};

struct Iteration {
  Slot* slots = nullptr;
  std::vector<ItemState> states;
  std::vector<int32_t> readers;
  std::vector<Loop*> children;  // by FrameLayout::child_index
  std::vector<Slot> own_slots;  // behind `slots`, except outside of loops
  Loop* loop = nullptr;
  int64_t number = 0;
  int32_t outstanding = 0;  // items that are ready or run
  int32_t live_children = 0;
  bool is_straight = false;  // the loop's StraightRun runs it

  bool IsIdle() const { return outstanding == 0 && live_children == 0; }
};

class LoopState {
 public:
  // `root_slots` are those outside of all loops.
  LoopState(const FramePlan& plan, Slot* root_slots);

  // Everything as before the first item.
  void Reset();
  Iteration* root() { return &root_; }

  // Those that are alive, and what is outside of all loops.
  void ForEachIteration(absl::FunctionRef<void(const Iteration&)> visit) const;

  Loop* StartLoop(int32_t frame, Iteration* parent);
  Iteration* AddIteration(Loop* loop);
  void DropFirst(Loop* loop);
  void EndLoop(Loop* loop);

 private:
  Iteration* TakeIteration(Loop* loop, int64_t number);
  void GiveBack(Iteration* iteration);

  const FramePlan& plan_;
  Loop root_loop_;
  Iteration root_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::unique_ptr<Iteration>> iterations_;
  // Those of one frame, and how many there are with those that are in use, for which room is kept.
  template <typename T>
  struct Pool {
    std::vector<T*> spare;
    size_t size = 0;
    void Grow() {
      if (++size > spare.capacity()) spare.reserve(2 * size);
    }
  };
  std::vector<Pool<Loop>> loop_pools_;            // by frame
  std::vector<Pool<Iteration>> iteration_pools_;  // by frame
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_LOOP_STATE_H_
