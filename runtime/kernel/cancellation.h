// Cancellation: ends steps from outside, as when whoever asked for them has gone.
//
//   Cancellation cancellation;
//   options.cancellation = &cancellation;                  // of Session::Run
//   …  cancellation.Cancel(Cancelled("the client has gone"));       // in another thread
//
// Who runs a step holds a Scope for as long as the step may be cancelled:
//
//   Cancellation::Scope scope(options.cancellation, context.get());
//
// Until whoever asked has heard of a step's end, it may still be undone: what it took is kept here
// (runtime/kernel/takings.h), and given back by a Cancel that comes only then.
//
// Ownership: borrows the steps; must outlive the calls that it was given to. Thread safety: any
// thread. A Scope ends only when a Cancel that has begun has told its step. Errors: none; cancelled
// steps end with CANCELLED and the reason.
#ifndef WARPBEAM_RUNTIME_KERNEL_CANCELLATION_H_
#define WARPBEAM_RUNTIME_KERNEL_CANCELLATION_H_

#include <memory>
#include <mutex>
#include <vector>

#include "graph/types/errors.h"
#include "runtime/kernel/step_context.h"
#include "runtime/kernel/takings.h"

namespace warpbeam {

class Cancellation {
 public:
  class Scope {
   public:
    // `cancellation` may be null: nobody will cancel.
    Scope(Cancellation* cancellation, StepContext* step);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Cancellation* const cancellation_;
    StepContext* const step_;
  };

  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Cancels the steps under way and those to come. The first call counts.
  void Cancel(const Status& why);
  // Keeps what a step that has ended well has taken; after Cancel it is given back at once.
  void Keep(std::shared_ptr<Takings> takings);

 private:
  std::mutex mutex_;
  std::vector<StepContext*> steps_;
  std::vector<std::shared_ptr<Takings>> taken_;
  Status why_;  // OK until cancelled
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_CANCELLATION_H_
