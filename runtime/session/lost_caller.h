// LostCaller: watches over a thread that runs a step of which somebody may cancel it, though it has
// no deadline. Such a step runs in its caller's thread; where a kernel does not end within the
// grace period after it was cancelled, the thread and those that share its loops no longer count as
// threads of the devices, and new workers take their places.
//
//   const LostCaller lost(runner, devices, context);
//   status = runner->Run(context, feeds, /*timeout_ms=*/0, fetched, &report);
//
// Ownership: shares all three until the step has ended. Thread safety: one thread. Errors: none;
// where no thread is left to watch, the caller keeps its place.
#ifndef WARPBEAM_RUNTIME_SESSION_LOST_CALLER_H_
#define WARPBEAM_RUNTIME_SESSION_LOST_CALLER_H_

#include <memory>

#include "runtime/device/local/device_set.h"
#include "runtime/session/step_runner.h"

namespace warpbeam {

class LostCaller {
 public:
  LostCaller(std::shared_ptr<StepRunner> runner, std::shared_ptr<DeviceSet> devices,
             std::shared_ptr<StepContext> step);
  ~LostCaller();
  LostCaller(const LostCaller&) = delete;
  LostCaller& operator=(const LostCaller&) = delete;

 private:
  struct Watch;

  const std::shared_ptr<Watch> watch_;
  StepContext::Token token_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_LOST_CALLER_H_
