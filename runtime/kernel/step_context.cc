#include "runtime/kernel/step_context.h"

#include <utility>

namespace warpbeam {

void StepContext::Cancel(Status why) {
  std::map<Token, std::function<void()>> callbacks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (cancelled_.load(std::memory_order_relaxed)) return;
    reason_ = std::move(why);
    cancelled_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
    running_callbacks_ = true;
  }
  for (auto& [token, callback] : callbacks) callback();
  std::lock_guard<std::mutex> lock(mutex_);
  running_callbacks_ = false;
  callbacks_done_.notify_all();
}

Status StepContext::Fail(Status error) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!first_error_.ok() && warpbeam::IsCancelled(error)) return first_error_;
    // A kernel that waited knows that it was cancelled, but not why.
    const bool was_cancelled = cancelled_.load(std::memory_order_relaxed);
    if (was_cancelled && warpbeam::IsCancelled(error) && error.message() != reason_.message()) {
      return Cancelled(error.message(), ": ", reason_.message());
    }
    if (first_error_.ok()) first_error_ = error;
  }
  Cancel(Cancelled("the step was stopped by an error: ", error.message()));
  return error;
}

Status StepContext::first_error() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return first_error_;
}

Status StepContext::cancel_reason() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return reason_;
}

StepContext::Token StepContext::OnCancel(std::function<void()> callback) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (cancelled_.load(std::memory_order_relaxed)) return kAlreadyCancelled;
  const Token token = next_token_++;
  callbacks_.emplace(token, std::move(callback));
  return token;
}

bool StepContext::RemoveCallback(Token token) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (callbacks_.erase(token) > 0) return true;
  callbacks_done_.wait(lock, [&] { return !running_callbacks_; });
  return false;
}

}  // namespace warpbeam
