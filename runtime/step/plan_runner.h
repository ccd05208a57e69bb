// PlanRunner: runs one plan, many times, from any number of threads.
//
//   PlanRunner runner(std::move(plan));
//   auto context = std::make_shared<StepContext>(NewStepId(), resources, functions);
//   Status s = runner.Run(context, feeds, timeout_ms, &fetched, &report);
//
// A bounded plan without a deadline runs in the calling thread, which works for the plan's home
// lane and waits (spinning first) for the others. With a deadline, or with kernels that may block,
// workers run it and the caller only waits; past the deadline the step is cancelled, and when it
// does not end within the grace period it is left behind: it keeps its block until its last kernel
// returns, and new workers take the place of those that are in it. What a step with a deadline has
// taken from queues and the like goes back when it was ended.
//
// Ownership: the runner owns the plan and its idle steps. It must outlive its running steps:
// `Drain` waits for those left behind. Thread safety: any thread. Errors: INVALID_ARGUMENT for
// feeds that do not fit, the first error of the step, DEADLINE_EXCEEDED naming what was running.
#ifndef WARPBEAM_RUNTIME_STEP_PLAN_RUNNER_H_
#define WARPBEAM_RUNTIME_STEP_PLAN_RUNNER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel/takings.h"
#include "runtime/step/step.h"
#include "runtime/trace/run_graphs.h"

namespace warpbeam {

struct StepReport {
  TraceLevel trace = TraceLevel::kNone;
  StepStats* stats = nullptr;  // filled when traced
  // Gets what other tasks ran of the step; null: nobody wants it.
  std::vector<DeviceGraph>* other_graphs = nullptr;
  // Gets the order in which the tasks began; null: nobody wants it.
  Schedule* schedule = nullptr;
  // The order in which they are to begin; null: as they become ready.
  const Schedule* replay = nullptr;
  // When a step with a timeout ends at the latest; unset: so long after the run has begun.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  // What a step with a timeout that has succeeded has taken (runtime/kernel/takings.h).
  std::shared_ptr<Takings> takings;
  int64_t items_run = 0;
  int64_t bytes_copied = 0;
};

class PlanRunner {
 public:
  static constexpr int64_t kGraceMs = 200;
  using Done = std::function<void(Status, std::vector<Tensor>)>;

  explicit PlanRunner(std::unique_ptr<Plan> plan);
  ~PlanRunner();

  const Plan& plan() const { return *plan_; }
  // `context` must stay alive until the step has ended, which may be after Run has returned: hence
  // the shared pointer.
  Status Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds, int64_t timeout_ms,
             std::vector<Tensor>* fetched, StepReport* report);
  // As a part of the caller's step: `done` is called once, perhaps before this returns, and never
  // on a device's stream, so that it may wait for one.
  void RunAsync(StepContext* context, Span<const Tensor> feeds, Done done);
  // Starts a step on the workers and returns; `done` is called once. For partial runs.
  void Start(std::shared_ptr<StepContext> context, std::function<void(Status)> done);
  // Puts new workers in the place of those that are in kernels of a cancelled step.
  void ReplaceWorkers(const StepContext* context);
  // Waits until no step runs; false when some still do after `timeout_ms`.
  bool Drain(int64_t timeout_ms);
  // What the running steps are at, or only that of `context`.
  std::vector<std::string> Running(const StepContext* context = nullptr) const;

 private:
  struct Waiter;

  Status CheckFeeds(Span<const Tensor> feeds) const;
  // Whether steps have tasks whose order can be told.
  Status CheckTasks() const;
  // Whether one thread is all that a step with these feeds needs.
  bool IsSerial(Span<const Tensor> feeds) const;
  std::unique_ptr<Step> TakeStep(const StepContext* context);
  void GiveBack(std::unique_ptr<Step> step);
  void EndCall(std::unique_ptr<Step> step, const Done& done);
  Status RunInCaller(Step* step, const Step::Request& request);
  Status RunOnWorkers(std::unique_ptr<Step>* step, const Step::Request& request,
                      std::shared_ptr<StepContext> context, int64_t timeout_ms,
                      std::chrono::steady_clock::time_point deadline,
                      std::shared_ptr<Takings> takings);

  const std::unique_ptr<Plan> plan_;
  const bool has_streams_;  // items run in the order of a device's stream
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<std::pair<const Step*, const StepContext*>> running_;
  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_STEP_PLAN_RUNNER_H_
