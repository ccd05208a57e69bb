// TaskHealth: whether another task of the cluster is there, judged by its answers to a heartbeat.
//
// A task that has just been asked is alive until it has been silent for some time; it is suspect
// for a while and then dead. A port that refuses is a dead task at once. An answer makes any task
// alive again.
//
//   TaskHealth health("/job:ps/replica:0/task:0", "ps.example.com:2222");
//   health.Watch(now);
//   health.Answered(now);
//   if (!health.Check(now).ok()) …              // UNAVAILABLE, with the task and its last word
//
// Times are given, so that tests need no clock. Ownership: a value. Thread safety: guarded by
// whoever owns it. Errors: UNAVAILABLE.
#ifndef WARPBEAM_RUNTIME_DIST_HEALTH_TASK_HEALTH_H_
#define WARPBEAM_RUNTIME_DIST_HEALTH_TASK_HEALTH_H_

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "graph/types/errors.h"

namespace warpbeam {

class TaskHealth {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class State { kAlive, kSuspect, kDead };

  // Between heartbeats; without an answer for so long a task is suspect, or dead.
  static constexpr std::chrono::milliseconds kInterval{1000};
  static constexpr std::chrono::milliseconds kSuspectAfter{2500};
  static constexpr std::chrono::milliseconds kDeadAfter{4500};

  TaskHealth(std::string task, std::string address)
      : task_(std::move(task)), address_(std::move(address)) {}

  // Somebody waits for the task from now on, and nobody did before.
  void Watch(Time now);
  void Answered(Time now);
  // It could not be reached, and not because it took too long.
  void Refused(const Status& why);
  State state(Time now) const;
  // OK unless it is dead.
  Status Check(Time now) const;

 private:
  Time Heard() const { return std::max(watched_since_, last_answer_.value_or(watched_since_)); }

  const std::string task_;
  const std::string address_;
  Time watched_since_;
  std::optional<Time> last_answer_;
  Status refused_;  // OK unless it refused since it answered last
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_HEALTH_TASK_HEALTH_H_
