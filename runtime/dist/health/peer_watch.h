// PeerWatch: looks every second after the tasks of a cluster that somebody waits for.
//
// A task that was killed closes its connections, and whoever waits for it knows at once. One that
// was stopped, or whose machine or network has gone, says nothing; so it is asked. While nobody
// waits for any task the watch sleeps.
//
//   auto watch = std::make_unique<PeerWatch>();
//   watch->Add(peer);                   // a Subject
//   watch->Wake();                      // by the peer, when a call of it begins
//
// Ownership: owns a thread, which the destructor joins; subjects may go before it. Thread safety:
// any thread; Look is called on the watch's. Errors: none; without a thread nobody is looked after.
#ifndef WARPBEAM_RUNTIME_DIST_HEALTH_PEER_WATCH_H_
#define WARPBEAM_RUNTIME_DIST_HEALTH_PEER_WATCH_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/dist/health/task_health.h"

namespace warpbeam {

class PeerWatch {
 public:
  class Subject {
   public:
    virtual ~Subject() = default;
    // `was_asleep`: this process did not run for a while, so that silence means nothing. False when
    // nobody waits for the task.
    virtual bool Look(TaskHealth::Time now, bool was_asleep) = 0;
  };

  explicit PeerWatch(std::chrono::milliseconds interval = TaskHealth::kInterval)
      : interval_(interval) {}
  ~PeerWatch();
  // One for all who want no more than that; it ends with the last of them.
  static std::shared_ptr<PeerWatch> Shared();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  void Add(std::weak_ptr<Subject> subject);
  void Wake() {
    if (!is_awake_.load(std::memory_order_acquire)) WakeThread();
  }

 private:
  void WakeThread();
  void Main();
  // Whether somebody waits for any of them.
  bool LookAtAll(bool was_asleep);

  const std::chrono::milliseconds interval_;
  std::atomic<bool> is_awake_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  bool has_thread_ = false;
  std::vector<std::weak_ptr<Subject>> subjects_;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_HEALTH_PEER_WATCH_H_
