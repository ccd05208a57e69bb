// StepContext: what all kernels of one step share: services of the session, cancellation.
//
// A step is cancelled by its first error, by its deadline, or by the session's close. Kernels that
// wait register a callback with `OnCancel` and take it back when they are done; kernels that
// compute for long look at `IsCancelled` now and then.
//
//   auto token = ctx.step()->OnCancel([state] { state->Fail(Cancelled("…")); });
//   if (token == StepContext::kAlreadyCancelled) …
//   ctx.step()->RemoveCallback(token);   // waits for a running callback to return
//
// Ownership: the session's objects outlive the step. Thread safety: any thread.
#ifndef WARPBEAM_RUNTIME_KERNEL_STEP_CONTEXT_H_
#define WARPBEAM_RUNTIME_KERNEL_STEP_CONTEXT_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "graph/types/errors.h"

namespace warpbeam {

class FunctionRunner;
class Rendezvous;
class ResourceStore;

class StepContext {
 public:
  using Token = int64_t;
  static constexpr Token kAlreadyCancelled = -1;

  StepContext(int64_t step_id, ResourceStore* resources, FunctionRunner* functions,
              std::shared_ptr<Rendezvous> rendezvous = nullptr)
      : step_id_(step_id),
        resources_(resources),
        functions_(functions),
        rendezvous_(std::move(rendezvous)) {}

  int64_t step_id() const { return step_id_; }
  ResourceStore* resources() const { return resources_; }
  FunctionRunner* functions() const { return functions_; }
  // Where this part of a step meets the others, or its caller (runtime/comm); null: there is nobody
  // to be met.
  Rendezvous* rendezvous() const { return rendezvous_.get(); }

  bool IsCancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // Runs the registered callbacks, once; `why` is what cancelled steps report.
  void Cancel(Status why);
  Status cancel_reason() const;
  // The first error that Fail was given; OK without one.
  Status first_error() const;
  // Cancels the step because of `error`. Returns what to report: the step's first error, which may
  // come from a function that one of its nodes calls, where `error` is but a consequence of it.
  Status Fail(Status error);
  Token OnCancel(std::function<void()> callback);
  // False when the callback has run or is running (it has returned by the time this does).
  bool RemoveCallback(Token token);

 private:
  const int64_t step_id_;
  ResourceStore* const resources_;
  FunctionRunner* const functions_;
  const std::shared_ptr<Rendezvous> rendezvous_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::condition_variable callbacks_done_;
  bool running_callbacks_ = false;
  Token next_token_ = 1;
  std::map<Token, std::function<void()>> callbacks_;
  Status reason_;
  Status first_error_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_KERNEL_STEP_CONTEXT_H_
