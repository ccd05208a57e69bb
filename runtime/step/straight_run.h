// StraightRun: one execution of a straight loop, iteration by iteration.
//
//   StraightRun run(plan, loop);
//   run.Start(slots_of_the_first_iteration);
//   while (run.RunIteration(request) == StraightRun::Outcome::kAgain) run.Advance();
//   run.CopyTo(loop.exits, slots_of_the_last_iteration);
//   run.Clear();
//
// Ownership: it owns the values of the loop while it runs; it is used again for the next loop of
// the same frame, so that the steady state allocates nothing. Thread safety: none; one thread at a
// time has it.
#ifndef WARPBEAM_RUNTIME_STEP_STRAIGHT_RUN_H_
#define WARPBEAM_RUNTIME_STEP_STRAIGHT_RUN_H_

#include <atomic>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/kernel/step_context.h"
#include "runtime/plan/straight_loop.h"

namespace warpbeam {

class StraightRun {
 public:
  enum class Outcome {
    kAgain,   // another iteration follows
    kEnded,   // no NextIteration was alive
    kHandOn,  // another iteration follows, which is not for this scheme: some NextIterations were
              // dead and others alive, or kernels turned out to be worth threads of their own
    kFailed,
  };
  struct Request {
    StepContext* context = nullptr;
    bool shares_work = false;            // the lane has more than one thread
    std::atomic<int32_t>* at = nullptr;  // told which item runs
  };

  StraightRun(const Plan& plan, const StraightLoop& loop);

  // Takes the values of the Enters out of the slots of the first iteration.
  void Start(Slot* iteration);
  bool is_started() const { return is_started_; }
  Outcome RunIteration(const Request& request);
  // Why the loop has ended as kFailed.
  const Status& status() const { return status_; }
  int32_t failed_item() const { return failed_item_; }

  bool IsAlive(const StraightLoop::Border& border) const { return alive_[border.guard] != 0; }
  bool HasLiveExit() const;
  // After kAgain, once Exits are served: on to the values of the next iteration.
  void Advance();
  // Puts what leaves the iteration where Exits and NextIterations expect it.
  void CopyTo(const std::vector<StraightLoop::Border>& borders, Slot* iteration) const;
  // After an error: puts all values where the general scheme would have left them.
  void MoveOutputsTo(Slot* iteration);
  // Items that the last iteration has run.
  int64_t CountItems() const;
  void Clear();

 private:
  Status RunKernel(const StraightLoop::Op& op, const Request& request);
  Status RunBranch(const StraightLoop::Op& op);
  void RunSelect(const StraightLoop::Op& op);
  Status RunOp(const StraightLoop::Op& op, const Request& request);

  const Program& program_;
  const StraightLoop& loop_;
  std::vector<Slot> slots_;
  std::vector<uint8_t> alive_;  // by guard, decided anew in each iteration
  bool is_started_ = false;
  bool found_large_ = false;  // a kernel's inputs
  Status status_;
  int32_t failed_item_ = -1;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_STRAIGHT_RUN_H_
