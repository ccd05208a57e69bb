// CancellationHook: calls a function when a StepContext is cancelled, for as long as the hook
// lives.
//
//   CancellationHook hook_{pipeline.cancellation(), [&] { WakeAll(); }};   // the last member
//
// A context that is cancelled already calls nothing: whoever waits looks at IsCancelled first.
//
// Ownership: the context outlives the hook. Thread safety: the function runs on the cancelling
// thread; the destructor waits for it to return, so it is never called within the function or with
// a lock that the function takes. Errors: none.
#ifndef WARPBEAM_OPS_DATA_CANCELLATION_HOOK_H_
#define WARPBEAM_OPS_DATA_CANCELLATION_HOOK_H_

#include <functional>
#include <utility>

#include "runtime/kernel/step_context.h"

namespace warpbeam {

class CancellationHook {
 public:
  CancellationHook(StepContext& context, std::function<void()> function)
      : context_(context), token_(context.OnCancel(std::move(function))) {}
  ~CancellationHook() {
    if (token_ != StepContext::kAlreadyCancelled) context_.RemoveCallback(token_);
  }
  CancellationHook(const CancellationHook&) = delete;
  CancellationHook& operator=(const CancellationHook&) = delete;

 private:
  StepContext& context_;
  const StepContext::Token token_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_DATA_CANCELLATION_HOOK_H_
