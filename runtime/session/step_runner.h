// StepRunner: a compiled step as its session sees it, whoever runs it: the devices of this process
// (LocalStep), or those of several tasks (task_group.h).
//
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<StepRunner> runner, target->Compile(bounds, mode));
//   WB_RETURN_IF_ERROR(runner->Run(context, feeds, timeout_ms, &fetched, &report));
//
// Ownership: owns its plans and idle steps; it must outlive those that run. Thread safety: any
// thread. Errors: as PlanRunner's.
#ifndef WARPBEAM_RUNTIME_SESSION_STEP_RUNNER_H_
#define WARPBEAM_RUNTIME_SESSION_STEP_RUNNER_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/comm/rendezvous.h"
#include "runtime/session/device_graphs.h"
#include "runtime/session/memory_forecast.h"
#include "runtime/step/plan_runner.h"

namespace warpbeam {

class StepTarget;

class StepRunner {
 public:
  virtual ~StepRunner() = default;
  // As PlanRunner::Run; feeds and fetches in the order of the bounds.
  virtual Status Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds,
                     int64_t timeout_ms, std::vector<Tensor>* fetched, StepReport* report) = 0;
  // Starts a step that was compiled for a partial run and returns; `done` is called once.
  virtual void Start(std::shared_ptr<StepContext> context, std::function<void(Status)> done) = 0;
  // Where such a step meets what it is fed and asked for.
  virtual StatusOr<std::shared_ptr<Rendezvous>> NewMeeting(int64_t /*step_id*/) {
    return std::make_shared<Rendezvous>();
  }
  // What is known of the step as a whole.
  virtual const PlanFacts& facts() const = 0;
  // What each device runs; they look names up in the session's graph.
  virtual std::vector<DeviceGraph> DeviceGraphs() const = 0;
  // Whether the order of its steps can be recorded and replayed.
  virtual bool has_schedules() const { return false; }
  virtual bool Drain(int64_t timeout_ms) = 0;
  virtual std::vector<std::string> Running() const = 0;
  // The same of the step of this context; empty when it does not run here.
  virtual std::vector<std::string> RunningOf(const StepContext* context) const = 0;
  virtual void ReplaceWorkers(const StepContext* context) = 0;

  // Those of queues that nothing in the graph could fill when the step was compiled
  // (step_checks.h). Set before anybody runs it.
  const std::vector<NodeId>& dequeues_in_doubt() const { return dequeues_in_doubt_; }
  void set_dequeues_in_doubt(std::vector<NodeId> nodes) { dequeues_in_doubt_ = std::move(nodes); }

  // Of a step on the devices of `target`, in which what is not known of shapes counts as
  // `unknown_extent`; made once for each. The facts have an outline.
  using Forecast = std::shared_ptr<const MemoryForecast>;
  StatusOr<Forecast> MemoryFor(StepTarget& target, int64_t unknown_extent);

 private:
  std::mutex forecasts_mutex_;
  std::map<int64_t, Forecast> forecasts_;  // by unknown extent
  std::vector<NodeId> dequeues_in_doubt_;
};

// A step that is one plan of this process.
class LocalStep final : public StepRunner {
 public:
  explicit LocalStep(std::unique_ptr<Plan> plan) : runner_(std::move(plan)) {}
  Status Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds, int64_t timeout_ms,
             std::vector<Tensor>* fetched, StepReport* report) override {
    return runner_.Run(std::move(context), feeds, timeout_ms, fetched, report);
  }
  void Start(std::shared_ptr<StepContext> context, std::function<void(Status)> done) override {
    runner_.Start(std::move(context), std::move(done));
  }
  const PlanFacts& facts() const override { return runner_.plan().facts; }
  std::vector<DeviceGraph> DeviceGraphs() const override { return DeviceGraphsOf(runner_.plan()); }
  bool has_schedules() const override { return true; }
  bool Drain(int64_t timeout_ms) override { return runner_.Drain(timeout_ms); }
  std::vector<std::string> Running() const override { return runner_.Running(); }
  std::vector<std::string> RunningOf(const StepContext* context) const override {
    return runner_.Running(context);
  }
  void ReplaceWorkers(const StepContext* context) override { runner_.ReplaceWorkers(context); }

 private:
  PlanRunner runner_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_STEP_RUNNER_H_
