#include "runtime/session/compilation.h"

#include <thread>
#include <utility>

#include "graph/abandonment.h"
#include "runtime/device/cpu/worker_pool.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {

Patience Patience::For(int64_t timeout_ms, StepContext* step, bool may_be_left) {
  Patience patience;
  patience.step = step;
  patience.may_be_left = may_be_left;
  patience.timeout_ms = timeout_ms;
  if (timeout_ms > 0) patience.deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  return patience;
}

Status Patience::Check() const {
  if (step != nullptr && step->IsCancelled()) return step->cancel_reason();
  if (!deadline.has_value() || Clock::now() < *deadline) return OkStatus();
  return DeadlineExceeded("the step did not end within ", timeout_ms,
                          " ms; it was still being compiled");
}

void Compilation::RunHere(const Compiler& compile, StepContext* step) {
  const auto abandon = [this] { abandoned_.store(true, std::memory_order_relaxed); };
  const StepContext::Token token =
      step == nullptr ? StepContext::Token{0} : step->OnCancel(abandon);
  if (token == StepContext::kAlreadyCancelled) abandon();
  StatusOr<std::unique_ptr<StepRunner>> runner = [&] {
    const AbandonmentScope scope(&abandoned_);
    return compile();
  }();
  if (step != nullptr && token != StepContext::kAlreadyCancelled) step->RemoveCallback(token);
  if (!runner.ok()) return End(runner.status());
  End(Runner(*std::move(runner)));
}

void Compilation::RunApart(Compiler compile, std::shared_ptr<Compilation> self) {
  const std::shared_ptr<Hold> hold = self->hold_;
  hold->is_held = true;
  const auto release = [hold] {
    std::lock_guard<std::mutex> lock(hold->mutex);
    hold->is_held = false;
    hold->released.notify_all();
  };
  StatusOr<std::thread> thread =
      NewThread([release, held = self, compile = std::move(compile)]() mutable {
        // A kernel that is evaluated and does not end would keep the workers that share its loops.
        const WorkerPool::Alone alone;
        held->RunHere(compile, nullptr);
        // A session that waits for its compilations goes when they have ended, and with it what
        // these refer to.
        compile = nullptr;
        held = nullptr;
        release();
      });
  if (thread.ok()) return thread->detach();
  release();
  self->End(thread.status());
}

void Compilation::End(StatusOr<Runner> result) {
  std::lock_guard<std::mutex> lock(mutex_);
  result_ = std::move(result);
  changed_.notify_all();
}

bool Compilation::Join() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (IsAbandoned()) return false;
  ++waiting_;
  return true;
}

StatusOr<Compilation::Runner> Compilation::Await(const Patience& patience) {
  StepContext::Token token = 0;
  if (patience.step != nullptr) {
    token = patience.step->OnCancel([this] {
      std::lock_guard<std::mutex> lock(mutex_);
      changed_.notify_all();
    });
  }
  StatusOr<Runner> result = [&]() -> StatusOr<Runner> {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      if (result_.has_value()) {
        --waiting_;
        return *result_;
      }
      if (Status s = patience.Check(); !s.ok()) {
        if (--waiting_ == 0) abandoned_.store(true, std::memory_order_relaxed);
        return s;
      }
      if (patience.deadline.has_value()) {
        changed_.wait_until(lock, *patience.deadline);
      } else {
        changed_.wait(lock);
      }
    }
  }();
  if (token > 0) patience.step->RemoveCallback(token);
  return result;
}

bool Compilation::IsDone() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return result_.has_value();
}

bool Compilation::HasEnded() const {
  if (!IsDone()) return false;
  std::lock_guard<std::mutex> lock(hold_->mutex);
  return !hold_->is_held;
}

bool Compilation::AwaitEnd(Patience::Clock::time_point deadline) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_until(lock, deadline, [&] { return result_.has_value(); })) return false;
  }
  std::unique_lock<std::mutex> lock(hold_->mutex);
  return hold_->released.wait_until(lock, deadline, [&] { return !hold_->is_held; });
}

}  // namespace warpbeam
