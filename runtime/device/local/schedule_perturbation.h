// SchedulePerturbation: makes a session's schedules unlike each other, so that races and hangs
// show.
//
// Work that is ready is held back for a moment, drawn at random from a seed, before its lane gets
// it: what became ready first may start last, and threads and streams overtake each other. Whatever
// order results is one that could have come about without it. The seed fixes the delays in the
// order in which work becomes ready; the machine's own timing still has a say in that.
//
//   lane.perturbation = &perturbation;      // Lane::Schedule then goes through Hold
//
// Ownership: holds work for lanes that outlive it. Thread safety: any thread. The destructor hands
// out what it still holds.
#ifndef WARPBEAM_RUNTIME_DEVICE_LOCAL_SCHEDULE_PERTURBATION_H_
#define WARPBEAM_RUNTIME_DEVICE_LOCAL_SCHEDULE_PERTURBATION_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace warpbeam {

class SchedulePerturbation {
 public:
  explicit SchedulePerturbation(uint64_t seed);
  ~SchedulePerturbation();

  // Calls `schedule` after a while, on a thread of its own.
  void Hold(std::function<void()> schedule);

 private:
  void Release();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937_64 random_;
  std::multimap<int64_t, std::function<void()>> held_;  // by the time to let go
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DEVICE_LOCAL_SCHEDULE_PERTURBATION_H_
