// StepTimer: every so many steps, or every so many seconds (tf.train.SecondOrStepTimer).
//
//   StepTimer timer(Every::Steps(100));
//   if (timer.IsDue(step)) { timer.Update(step); Report(); }
//
// It is due at the first step. Ownership: a value. Thread safety: one thread. Errors: `Check` gives
// INVALID_ARGUMENT for both or neither of the two, and for what is not positive.
#ifndef WARPBEAM_FRONTEND_MONITORED_STEP_TIMER_H_
#define WARPBEAM_FRONTEND_MONITORED_STEP_TIMER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "graph/types/status.h"

namespace warpbeam {
namespace frontend {
namespace train {

// How often a hook works; one of the two.
struct Every {
  static Every Steps(int64_t steps) { return {steps, 0}; }
  static Every Seconds(double secs) { return {0, secs}; }

  int64_t steps = 0;
  double secs = 0;
};

class StepTimer {
 public:
  explicit StepTimer(const Every& every) : every_(every) {}

  Status Check(std::string_view who) const;
  bool IsDue(int64_t step) const;

  struct Elapsed {
    double secs = 0;
    int64_t steps = 0;
  };
  // That it has been done at `step`; what has passed since the last time, if there was one.
  std::optional<Elapsed> Update(int64_t step);
  std::optional<int64_t> last_step() const { return last_step_; }
  void Reset() { last_step_.reset(); }

 private:
  using Clock = std::chrono::steady_clock;

  Every every_;
  std::optional<int64_t> last_step_;
  Clock::time_point last_time_;
};

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_FRONTEND_MONITORED_STEP_TIMER_H_
