#include "runtime/dist/health/peer_watch.h"

#include <algorithm>
#include <utility>

#include "runtime/thread/new_thread.h"

namespace warpbeam {

PeerWatch::~PeerWatch() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<PeerWatch> PeerWatch::Shared() {
  static auto* const mutex = new std::mutex;
  static auto* const shared = new std::weak_ptr<PeerWatch>;
  std::lock_guard<std::mutex> lock(*mutex);
  std::shared_ptr<PeerWatch> watch = shared->lock();
  if (watch == nullptr) *shared = watch = std::make_shared<PeerWatch>();
  return watch;
}

void PeerWatch::Add(std::weak_ptr<Subject> subject) {
  std::lock_guard<std::mutex> lock(mutex_);
  // Those that are gone make room.
  subjects_.erase(std::remove_if(subjects_.begin(), subjects_.end(),
                                 [](const auto& known) { return known.expired(); }),
                  subjects_.end());
  subjects_.push_back(std::move(subject));
}

void PeerWatch::WakeThread() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (ends_ || is_awake_.exchange(true)) return;
  if (has_thread_) return changed_.notify_all();
  StatusOr<std::thread> thread = NewThread([this] { Main(); });
  has_thread_ = thread.ok();
  if (thread.ok()) {
    thread_ = *std::move(thread);
  } else {
    is_awake_ = false;  // the next call tries again
  }
}

bool PeerWatch::LookAtAll(bool was_asleep) {
  std::vector<std::weak_ptr<Subject>> subjects;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    subjects = subjects_;
  }
  bool is_awaited = false;
  for (const std::weak_ptr<Subject>& weak : subjects) {
    const std::shared_ptr<Subject> subject = weak.lock();
    if (subject == nullptr) continue;
    if (subject->Look(std::chrono::steady_clock::now(), was_asleep)) is_awaited = true;
  }
  return is_awaited;
}

void PeerWatch::Main() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ends_) {
    changed_.wait(lock, [this] { return ends_ || is_awake_; });
    const auto begin = std::chrono::steady_clock::now();
    if (changed_.wait_for(lock, interval_, [this] { return ends_; })) return;
    const bool was_asleep = std::chrono::steady_clock::now() - begin > 2 * interval_;
    // A call that begins while the others are looked at wakes the watch again.
    is_awake_ = false;
    lock.unlock();
    const bool is_awaited = LookAtAll(was_asleep);
    lock.lock();
    if (is_awaited) is_awake_ = true;
  }
}

}  // namespace warpbeam
