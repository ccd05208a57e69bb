#include "ops/batching/alarm.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {

// What the thread has too: it may outlive the alarm that it ended itself.
struct Alarm::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> ring;  // set before the thread begins
  Time next = Time::max();     // guarded by mutex, as is what follows
  bool is_over = false;

  void Main() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!is_over) {
      if (next == Time::max()) {
        changed.wait(lock);
      } else if (Clock::now() < next) {
        const Time until = next;  // which others may change meanwhile
        changed.wait_until(lock, until);
      } else {
        next = Time::max();
        lock.unlock();
        ring();
        lock.lock();
      }
    }
  }
};

Alarm::Alarm() : state_(std::make_shared<State>()) {}

Alarm::~Alarm() {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->is_over = true;
  }
  state_->changed.notify_all();
  if (!thread_.joinable()) return;
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void Alarm::Start(std::function<void()> ring) { state_->ring = std::move(ring); }

Status Alarm::At(Time time) {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->next = std::min(state_->next, time);
  }
  state_->changed.notify_all();
  std::lock_guard<std::mutex> lock(mutex_);
  if (thread_.joinable()) return OkStatus();
  WB_ASSIGN_OR_RETURN(thread_, NewThread([state = state_] { state->Main(); }));
  return OkStatus();
}

Alarm::Time Alarm::After(int64_t micros) {
  constexpr int64_t kLongest = int64_t{1} << 50;  // 35 years
  return Clock::now() + std::chrono::microseconds(std::clamp(micros, -kLongest, kLongest));
}

}  // namespace warpbeam
