#include "frontend/saver/checkpoints_iterator.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "frontend/saver/checkpoint_state.h"
#include "graph/types/errors.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

constexpr double kShortestPollSecs = 0.001;

double SteadySecs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void SleepSecs(double secs) { std::this_thread::sleep_for(std::chrono::duration<double>(secs)); }

}  // namespace

StatusOr<std::optional<std::string>> CheckpointsIterator::Wait() const {
  const double start = SteadySecs();
  const double poll = std::max(options_.poll_interval, kShortestPollSecs);
  for (;;) {
    const StatusOr<std::string> newest = LatestCheckpoint(directory_);
    if (newest.ok() && *newest != last_) return std::optional<std::string>(*newest);
    if (!newest.ok() && !IsNotFound(newest.status())) return newest.status();
    const double waited = SteadySecs() - start;
    if (options_.timeout.has_value() && waited >= *options_.timeout) {
      return std::optional<std::string>();
    }
    SleepSecs(options_.timeout.has_value() ? std::min(poll, *options_.timeout - waited) : poll);
  }
}

StatusOr<std::optional<std::string>> CheckpointsIterator::Next() {
  const double early = next_secs_ - SteadySecs();
  if (early > 0) SleepSecs(early);
  for (;;) {
    const double start = SteadySecs();
    WB_ASSIGN_OR_RETURN(const std::optional<std::string> newest, Wait());
    if (newest.has_value()) {
      last_ = *newest;
      next_secs_ = start + options_.min_interval;
      return newest;
    }
    if (!options_.ends_at_timeout || options_.ends_at_timeout()) return newest;
  }
}

}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
