// RunningStep: the step that this thread works for, for code that has no KernelContext at hand,
// such as a sampler that draws until a value is accepted.
//
//   while (!RunningStep::IsOver()) { … if (accepted) return value; }
//   return 0;                              // nobody sees it
//
// The executor opens the scopes, and KernelContext::ParallelFor for the threads that share a loop.
// Ownership: borrows the step. Thread safety: a scope is its thread's. Errors: none.
#ifndef WARPBEAM_RUNTIME_KERNEL_RUNNING_STEP_H_
#define WARPBEAM_RUNTIME_KERNEL_RUNNING_STEP_H_

namespace warpbeam {

class StepContext;

class RunningStep {
 public:
  explicit RunningStep(const StepContext* step);
  ~RunningStep();
  RunningStep(const RunningStep&) = delete;
  RunningStep& operator=(const RunningStep&) = delete;

  // Whether the step was cancelled, or what evaluates a node while it compiles is not wanted any
  // more. False in threads of which the executor knows nothing.
  static bool IsOver();

 private:
  const StepContext* const before_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_RUNNING_STEP_H_
