// LongSteps: says in the log what steps wait for that have run for a minute.
//
//   LongSteps watch({at_work, describe}, std::chrono::minutes(1), log);
//
// It looks at the steps under way several times a minute; steps themselves do nothing for it. One
// line is written of each, and another ten minutes later if it is still there.
//
// What is due at a time is a function of its own, so that tests need no clock:
//
//   for (const std::string& line : watch.Look(now)) log(line);
//
// Ownership: owns a thread, which the destructor joins. What the source looks at outlives it.
// Thread safety: as said; the source and the log are called on the thread. Errors: none; without a
// thread nothing is said.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_LONG_STEPS_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_LONG_STEPS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace warpbeam {

class LongSteps {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Log = std::function<void(const std::string& line)>;
  struct Source {
    // The numbers of the steps under way.
    std::function<std::vector<int64_t>()> at_work;
    // What a step runs and waits for; empty when it has ended.
    std::function<std::vector<std::string>(int64_t step_id)> describe;
  };

  // With a `log` it looks by itself.
  LongSteps(Source source, std::chrono::milliseconds after, Log log);
  ~LongSteps();
  LongSteps(const LongSteps&) = delete;
  LongSteps& operator=(const LongSteps&) = delete;

  // The lines that are due. One thread.
  std::vector<std::string> Look(Time now);

 private:
  struct Seen {
    Time first;
    Time next;  // when it is due
  };

  void Main();

  const Source source_;
  const std::chrono::milliseconds after_;
  const Log log_;
  std::map<int64_t, Seen> seen_;  // of the thread that looks
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_LONG_STEPS_H_
