#include "runtime/device/local/schedule_perturbation.h"

#include <chrono>
#include <utility>

namespace warpbeam {
namespace {

using Clock = std::chrono::steady_clock;

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

}  // namespace

SchedulePerturbation::SchedulePerturbation(uint64_t seed)
    : random_(seed), thread_([this] { Release(); }) {}

SchedulePerturbation::~SchedulePerturbation() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void SchedulePerturbation::Hold(std::function<void()> schedule) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Most work waits for up to as long as a small kernel takes, now and then some for much longer.
  const uint64_t drawn = random_();
  const int64_t delay_ns = drawn % 32 == 0  ? static_cast<int64_t>(drawn >> 8) % 2'000'000
                           : drawn % 4 == 1 ? 0
                                            : static_cast<int64_t>(drawn >> 8) % 60'000;
  held_.emplace(NowNs() + delay_ns, std::move(schedule));
  changed_.notify_one();
}

void SchedulePerturbation::Release() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (held_.empty()) {
      if (stopping_) return;
      changed_.wait(lock);
      continue;
    }
    const auto first = held_.begin();
    const int64_t left = first->first - NowNs();
    if (left > 0 && !stopping_) {
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
      continue;
    }
    const std::function<void()> schedule = std::move(first->second);
    held_.erase(first);
    lock.unlock();
    schedule();
    lock.lock();
  }
}

}  // namespace warpbeam
