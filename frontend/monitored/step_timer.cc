#include "frontend/monitored/step_timer.h"

#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {

Status StepTimer::Check(std::string_view who) const {
  if ((every_.steps > 0) != (every_.secs > 0)) return OkStatus();
  return InvalidArgument(who,
                         " works every so many steps or every so many seconds, one of the two ",
                         "above 0; got ", every_.steps, " steps and ", every_.secs, " s");
}

bool StepTimer::IsDue(int64_t step) const {
  if (!last_step_) return true;
  if (*last_step_ == step) return false;
  if (every_.steps > 0) return step >= *last_step_ + every_.steps;
  return std::chrono::duration<double>(Clock::now() - last_time_).count() >= every_.secs;
}

std::optional<StepTimer::Elapsed> StepTimer::Update(int64_t step) {
  const Clock::time_point now = Clock::now();
  std::optional<Elapsed> elapsed;
  if (last_step_) {
    elapsed = Elapsed{std::chrono::duration<double>(now - last_time_).count(), step - *last_step_};
  }
  last_step_ = step;
  last_time_ = now;
  return elapsed;
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
