#include "runtime/comm/waiting_resource.h"

#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// Set while a step's cancellation callback runs on this thread. Taking other steps' callbacks back
// then could wait for a thread that waits for this one; left in place they find nothing to do.
thread_local bool in_cancellation = false;

// Of attempts without a kind, each with a number of its own.
constexpr int kOwnKind = -1;

}  // namespace

void WaitingResource::Attempt(StepContext* step, Try attempt, Finished finished) {
  Kind own(kOwnKind, 0);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    own.second = static_cast<int64_t>(next_id_++);
  }
  Attempt(step, own, std::move(attempt), std::move(finished));
}

void WaitingResource::Attempt(StepContext* step, Kind kind, Try attempt, Finished finished) {
  Served served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t id = next_id_++;
    Line& line = lines_[kind];
    const auto here =
        line.emplace(id, Waiter{step, std::move(attempt), std::move(finished), {}, {}}).first;
    Waiter& waiter = here->second;
    waiter.token = StepContext::kAlreadyCancelled;
    // Nothing has changed for those who wait, unless this one gets through.
    if (waiter.attempt(&waiter.status)) {
      ServeLocked(kind, here, &served);
      ServeAllLocked(&served);
    } else if (step != nullptr) {
      waiter.token = step->OnCancel([self = shared_from_this(), kind, id] {
        const bool outer = std::exchange(in_cancellation, true);
        self->Withdraw(kind, id);
        in_cancellation = outer;
      });
      if (waiter.token == StepContext::kAlreadyCancelled) {
        waiter.status = Cancelled("the step has been cancelled");
        ServeLocked(kind, here, &served);
      }
    }
  }
  Finish(std::move(served));
}

Status WaitingResource::Now(const std::function<Status()>& change) {
  Served served;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status = change();
    ServeAllLocked(&served);
  }
  Finish(std::move(served));
  return status;
}

void WaitingResource::Elsewhere(const std::function<void()>& change) {
  auto served = std::make_shared<Served>();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    change();
    ServeAllLocked(served.get());
  }
  if (served->empty()) return;
  // What the waiters hold keeps this object, and their steps wait for them.
  StatusOr<std::thread> thread = NewThread([served] { Finish(std::move(*served)); });
  if (thread.ok()) return thread->detach();
  Finish(std::move(*served));
}

void WaitingResource::ServeLocked(const Kind& kind, Line::iterator waiter, Served* served) {
  served->push_back(std::move(waiter->second));
  const auto line = lines_.find(kind);
  line->second.erase(waiter);
  if (line->second.empty()) lines_.erase(line);
}

void WaitingResource::ServeAllLocked(Served* served) {
  for (bool progress = true; progress;) {
    progress = false;
    // The first of each line, in the order of their arrival; who follows one that got through is
    // tried in its turn.
    std::map<uint64_t, Kind> next;
    for (const auto& [kind, line] : lines_) next.emplace(line.begin()->first, kind);
    while (!next.empty()) {
      const auto [id, kind] = *next.begin();
      next.erase(next.begin());
      const auto here = lines_.find(kind)->second.find(id);
      if (!here->second.attempt(&here->second.status)) continue;
      ServeLocked(kind, here, served);
      progress = true;
      const auto line = lines_.find(kind);
      if (line != lines_.end()) next.emplace(line->second.begin()->first, kind);
    }
  }
}

void WaitingResource::Withdraw(const Kind& kind, uint64_t id) {
  Served served;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto line = lines_.find(kind);
    if (line == lines_.end()) return;
    const auto waiter = line->second.find(id);
    if (waiter == line->second.end()) return;
    waiter->second.status =
        Cancelled("the operation was cancelled while it waited for ", DebugString());
    ServeLocked(kind, waiter, &served);
  }
  Finish(std::move(served));
}

void WaitingResource::Finish(Served served) {
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
