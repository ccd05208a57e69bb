// Alarm: calls a function on a thread of its own when a time has come, for objects whose users wait
// for one another only so long.
//
//   alarm_.Start([weak = weak_from_this()] { if (auto self = weak.lock()) self->GiveUp(); });
//   WB_RETURN_IF_ERROR(alarm_.At(Alarm::Clock::now() + timeout));
//
// The thread begins with the first time that is asked for. Several times are one: the function is
// called at the earliest, and asks again for what is left. Ownership: a member of the object; the
// function must not hold that object. Thread safety: any thread; the destructor waits for a call
// unless it is made by one. Errors: RESOURCE_EXHAUSTED where the system gives no more threads.
#ifndef WARPBEAM_OPS_BATCHING_ALARM_H_
#define WARPBEAM_OPS_BATCHING_ALARM_H_

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "graph/types/errors.h"

namespace warpbeam {

class Alarm {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  Alarm();
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Once, before any time is asked for.
  void Start(std::function<void()> ring);
  Status At(Time time);
  // Now and that many microseconds, as far as times go.
  static Time After(int64_t micros);

 private:
  struct State;

  const std::shared_ptr<State> state_;
  std::mutex mutex_;    // of the thread's beginning
  std::thread thread_;  // not there before the first time
};

}  // namespace warpbeam

#endif  // WARPBEAM_OPS_BATCHING_ALARM_H_
