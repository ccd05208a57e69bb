#include "runtime/step/replayed_tasks.h"

#include <utility>

namespace warpbeam {
namespace {

std::atomic<bool> tries_all{false};

}  // namespace

void ReplayedTasks::TryAll(bool on) { tries_all.store(on, std::memory_order_relaxed); }

ReplayedTasks::ReplayedTasks(const Plan& plan) : plan_(plan) {
  for (const PlanTask& task : plan.program.tasks) {
    if (!task.may_replay) continue;
    ++num_tasks_;
    tries_ |= !plan.program.lanes[task.lane].device->runs_host_code();
  }
  if (num_tasks_ == 0) return;
  tries_ |= tries_all.load(std::memory_order_relaxed);
  replays_.resize(plan.program.tasks.size());
}

void ReplayedTasks::BeginStep() {
  if (!is_trying()) return;
  const int tried = tried_.exchange(0, std::memory_order_relaxed);
  const int64_t nanoseconds = nanoseconds_.exchange(0, std::memory_order_relaxed);
  if (tried == num_tasks_) trial_.Note(trial_.PlaysNext(), nanoseconds);
  if (is_trying() || trial_.stays()) return;
  is_off_ = true;
  for (std::unique_ptr<Replay>& replay : replays_) replay = nullptr;
}

Replay* ReplayedTasks::Of(int32_t task) {
  if (is_off_) return nullptr;
  std::unique_ptr<Replay>& replay = replays_[static_cast<size_t>(task)];
  if (replay == nullptr) replay = std::make_unique<Replay>(plan_, task);
  return replay.get();
}

ReplayedTasks::Attempt ReplayedTasks::Prepare(Replay& replay, Slot* slots,
                                              const StepContext& context,
                                              Replay::AreLast are_last) {
  Attempt attempt;
  if (!is_trying()) {
    attempt.way = replay.Prepare(slots, context, are_last);
    return attempt;
  }
  attempt.begin = std::chrono::steady_clock::now();
  if (trial_.PlaysNext()) {
    attempt.way = replay.Prepare(slots, context, are_last);
    attempt.is_tried = attempt.way == Replay::Way::kPlay;
  } else if (replay.is_recorded()) {
    attempt.is_tried = true;
  } else {
    attempt.way = replay.Prepare(slots, context, are_last);
  }
  return attempt;
}

void ReplayedTasks::Ended(const Attempt& attempt) {
  if (!attempt.is_tried) return;
  const auto took = std::chrono::steady_clock::now() - attempt.begin;
  nanoseconds_.fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count(),
                         std::memory_order_relaxed);
  tried_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace warpbeam
