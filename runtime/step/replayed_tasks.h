// ReplayedTasks: the recordings of a step's tasks (replay.h), as long as they pay.
//
// Recordings of real GPUs are tried in the first steps that could play them: all of a plan's are
// played, and left out, in turn, until replay_trial.h knows which took the host less time. A plan
// whose launches are as fast runs as ever from then on, and its recordings give back their memory.
// Recordings of simulated GPUs, which are there to be tested, always stay.
//
//   ReplayedTasks tasks(plan);
//   tasks.BeginStep();
//   Replay* const replay = tasks.Of(task);               // null: it runs as ever
//   const ReplayedTasks::Attempt attempt = tasks.Prepare(*replay, slots, *context, are_last);
//   switch (attempt.way) { … }                           // play, record or run
//   tasks.Ended(attempt);
//
// Ownership: belongs to a step's block; refers to its plan. Thread safety: BeginStep by one thread
// while no task runs; the rest by a thread for each lane. Errors: none.
#ifndef WARPBEAM_RUNTIME_STEP_REPLAYED_TASKS_H_
#define WARPBEAM_RUNTIME_STEP_REPLAYED_TASKS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/step/replay.h"
#include "runtime/step/replay_trial.h"

namespace warpbeam {

class ReplayedTasks {
 public:
  explicit ReplayedTasks(const Plan& plan);

  void BeginStep();
  Replay* Of(int32_t task);

  // A task's way, and when it began to go it.
  struct Attempt {
    Replay::Way way = Replay::Way::kRun;
    bool is_tried = false;  // for the trial
    std::chrono::steady_clock::time_point begin;
  };
  Attempt Prepare(Replay& replay, Slot* slots, const StepContext& context,
                  Replay::AreLast are_last);
  void Ended(const Attempt& attempt);

  // For tests: recordings of simulated GPUs are tried as well.
  static void TryAll(bool on);

 private:
  bool is_trying() const { return tries_ && !trial_.is_over(); }

  const Plan& plan_;
  std::vector<std::unique_ptr<Replay>> replays_;  // by task, made when one first runs
  int num_tasks_ = 0;                             // that may be replayed
  bool tries_ = false;
  bool is_off_ = false;
  ReplayTrial trial_;
  // Of the tasks of this step that went the way that is tried: how many, and their time.
  std::atomic<int> tried_{0};
  std::atomic<int64_t> nanoseconds_{0};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_REPLAYED_TASKS_H_
