// StraightLoop: a loop of cheap kernels, laid out to be run iteration by iteration by one thread.
//
// Most of what an iteration of such a loop costs is not its kernels, but finding out which of its
// nodes are ready. Run in a fixed order nothing has to be found out: no inputs are counted, and
// what only hands values on (Merge, Switch, LoopCond, Identity, NextIteration) becomes a slot that
// the nodes before and behind it share. What is left of Switches are guards: whether the branch
// that a kernel is on was taken. The values of the next iteration replace those of this one in
// their slots.
//
// runtime/compile/straight_layout.h makes it, runtime/step/straight_run.h runs it.
//
// A loop is straight when all its items are on one lane, none is asynchronous, a copy, a reference
// or a loop of its own, and values go round it from NextIterations to Merges that Enters feed. A
// kernel whose cost grows with its inputs may be in it; StraightRun gives the loop back to the
// general scheme when they turn out to be large.
//
// Ownership: plain data, owned by the plan's frames. Thread safety: immutable once laid out.
#ifndef WARPBEAM_RUNTIME_PLAN_STRAIGHT_LOOP_H_
#define WARPBEAM_RUNTIME_PLAN_STRAIGHT_LOOP_H_

#include <memory>
#include <vector>

#include "runtime/plan/plan.h"

namespace warpbeam {

struct StraightLoop {
  enum class Kind : uint8_t {
    kKernel,
    kBranch,  // decides guards `target` (false) and `target + 1` (true) by a predicate
    kAll,     // decides guard `target`: all of the guards in `inputs`
    kSelect,  // the first of its inputs that is there; decides guard `target`
  };
  struct Op {
    Kind kind = Kind::kKernel;
    int32_t item = -1;           // for messages; -1: of kAll
    int32_t guard = 0;           // runs only where this one holds
    int32_t target = 0;          // the guard that it decides
    int32_t ns_per_element = 0;  // 0: always cheap
    // In `lists`. Of kBranch a slot, of kAll guards, of kSelect (slot, guard, is last) of each.
    Range inputs;
    Range clear;  // in `lists`: slots that nobody reads any more
    // The outputs of kKernel and kSelect, the inputs of kKernel.
    KernelContext::NodeInfo info = {};
  };
  // A value that enters the loop, or leaves its iteration.
  struct Border {
    int32_t item = 0;   // Enter; Exit; NextIteration
    int32_t slot = 0;   // where the value is
    int32_t guard = 0;  // whether it is there
    int32_t to = -1;    // of a NextIteration: the slot that the Merge's readers read
    // The slot that keeps a NextIteration's value while others change; -1: not needed.
    int32_t through = -1;
    bool is_last = false;  // nobody else needs it in `slot`
  };
  // An output of a constant that is in the loop, the same in all iterations.
  struct Constant {
    int32_t item = 0;
    int32_t output = 0;
    int32_t slot = 0;
  };

  std::vector<Op> ops;
  std::vector<Border> enters;  // those of Merges; `slot` is in the loop
  std::vector<Border> constant_enters;
  std::vector<Border> exits;
  std::vector<Border> nexts;
  std::vector<Constant> constants;
  // No Exit can be alive in an iteration that another one follows.
  bool exits_are_last = false;
  std::vector<int32_t> next_guards;    // distinct
  std::vector<int32_t> items_guarded;  // by guard: items that count as run where it holds
  int32_t num_slots = 0;
  std::vector<int32_t> lists;
  std::vector<int32_t> input_slots;  // behind Op::info
  int32_t first_item = 0;            // one of the loop
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_PLAN_STRAIGHT_LOOP_H_
