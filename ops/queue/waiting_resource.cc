#include "ops/queue/waiting_resource.h"

#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// Set while a step's cancellation callback runs on this thread. Taking other steps' callbacks back
// then could wait for a thread that waits for this one; left in place they find nothing to do.
thread_local bool in_cancellation = false;

}  // namespace

void WaitingResource::Attempt(StepContext* step, Try attempt, Finished finished) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t id = next_id_++;
    line_.push_back({id, step, std::move(attempt), std::move(finished)});
    ServeLocked(&served);
    if (step != nullptr && !line_.empty() && line_.back().id == id) {
      Waiter& waiter = line_.back();
      waiter.token = step->OnCancel([self = shared_from_this(), id] {
        const bool outer = std::exchange(in_cancellation, true);
        self->Withdraw(id);
        in_cancellation = outer;
      });
      if (waiter.token == StepContext::kAlreadyCancelled) {
        waiter.status = Cancelled("the step has been cancelled");
        served.splice(served.end(), line_, std::prev(line_.end()));
      }
    }
  }
  Finish(std::move(served));
}

absl::Status WaitingResource::Now(const std::function<absl::Status()>& change) {
  Line served;
  absl::Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = change();
    ServeLocked(&served);
  }
  Finish(std::move(served));
  return status;
}

void WaitingResource::Elsewhere(const std::function<void()>& change) {
  auto served = std::make_shared<Line>();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    change();
    ServeLocked(served.get());
  }
  if (served->empty()) return;
  // What the waiters hold keeps this object, and their steps wait for them.
  absl::StatusOr<std::thread> thread = NewThread([served] { Finish(std::move(*served)); });
  if (thread.ok()) return thread->detach();
  Finish(std::move(*served));
}

void WaitingResource::ServeLocked(Line* served) {
  bool progress = true;
  while (progress) {
    progress = false;
    for (auto waiter = line_.begin(); waiter != line_.end();) {
      const auto here = waiter++;
      if (!here->attempt(&here->status)) continue;
      served->splice(served->end(), line_, here);
      progress = true;
    }
  }
}

void WaitingResource::Withdraw(uint64_t id) {
  Line served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto waiter = line_.begin(); waiter != line_.end(); ++waiter) {
      if (waiter->id != id) continue;
      waiter->status = Cancelled("the operation was cancelled while it waited for ", DebugString());
      served.splice(served.end(), line_, waiter);
      break;
    }
  }
  Finish(std::move(served));
}

void WaitingResource::Finish(Line served) {
  for (Waiter& waiter : served) {
    if (waiter.token != StepContext::kAlreadyCancelled && !in_cancellation) {
      waiter.step->RemoveCallback(waiter.token);
    }
    // What the attempt holds may be the step's.
    waiter.attempt = nullptr;
    waiter.finished(std::move(waiter.status));
  }
}

}  // namespace warpbeam
