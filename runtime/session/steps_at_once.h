// StepsAtOnce: the steps of a deterministic session that run now. Two that touch the same state may
// not run at once: which is first would be chance.
//
// Reads go together, and so does filling a queue with emptying it. Plans of other sessions have no
// effects and cost nothing here.
//
//   WB_RETURN_IF_ERROR(at_once.Begin(runner.facts()));
//   …                                                // run it
//   at_once.End(runner.facts());
//
// Ownership: a plan lives from Begin to End. Thread safety: any thread. Errors: FAILED_PRECONDITION
// naming two nodes and what both touch; nothing has begun then.
#ifndef WARPBEAM_RUNTIME_SESSION_STEPS_AT_ONCE_H_
#define WARPBEAM_RUNTIME_SESSION_STEPS_AT_ONCE_H_

#include <mutex>
#include <vector>

#include "runtime/plan/plan.h"

namespace warpbeam {

class StepsAtOnce {
 public:
  Status Begin(const PlanFacts& plan);
  void End(const PlanFacts& plan);

 private:
  std::mutex mutex_;
  std::vector<const PlanFacts*> running_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_STEPS_AT_ONCE_H_
