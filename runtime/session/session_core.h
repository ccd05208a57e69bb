// SessionCore: a Session over a target (step_target.h): the graph, its names, plans, callables and
// partial runs. What runs the steps, this process or several tasks, is the target's affair.
//
//   WB_ASSIGN_OR_RETURN(auto session, SessionCore::Create(options, graph, new_target));
//
// Lock order: the compiler's graph_mutex (shared to compile, alone to extend) before
// callables_mutex_.
#ifndef WARPBEAM_RUNTIME_SESSION_SESSION_CORE_H_
#define WARPBEAM_RUNTIME_SESSION_SESSION_CORE_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/kernel/cancellation.h"
#include "runtime/session/partial_run.h"
#include "runtime/session/plan_cache.h"
#include "runtime/session/session.h"
#include "runtime/session/step_compiler.h"
#include "runtime/session/steps_at_once.h"
#include "runtime/step/plan_runner.h"
#include "runtime/step/step_ids.h"

namespace warpbeam {

class SessionCore final : public Session {
 public:
  static StatusOr<std::unique_ptr<SessionCore>> Create(const SessionOptions& options,
                                                       std::shared_ptr<Graph> graph,
                                                       const StepCompiler::NewTarget& new_target);
  ~SessionCore() override;

  Status Extend(const std::function<Status(Graph&)>& change) override {
    return compiler_->Extend(change);
  }
  Status Run(const RunOptions& options, const NamedTensors& feeds,
             const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
             std::vector<Tensor>* fetched, RunMetadata* metadata) override;
  Status Prepare(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                 const std::vector<std::string>& targets) override;
  StatusOr<CallableHandle> MakeCallable(const CallableOptions& options) override;
  Status RunCallable(CallableHandle handle, Span<const Tensor> feeds, std::vector<Tensor>* fetched,
                     RunMetadata* metadata, Cancellation* cancellation) override;
  Status ReleaseCallable(CallableHandle handle) override;
  StatusOr<std::string> PartialRunSetup(const std::vector<std::string>& feeds,
                                        const std::vector<std::string>& fetches,
                                        const std::vector<std::string>& targets) override;
  Status PartialRun(const std::string& handle, const NamedTensors& feeds,
                    const std::vector<std::string>& fetches, std::vector<Tensor>* fetched,
                    Cancellation* cancellation) override;
  Status Close(int64_t timeout_ms) override;
  std::vector<std::string> DeviceNames() const override;
  // The numbers of the steps under way.
  std::vector<int64_t> StepsAtWork();
  // What a step runs and waits for, in words; empty when it has ended.
  std::vector<std::string> DescribeStep(int64_t step_id);
  StatusOr<PlacementReport> Placement() override { return compiler_->Placement(); }

 private:
  // A plan that stays, and where its feeds and fetches are; null for host memory.
  struct Callable {
    std::shared_ptr<StepRunner> runner;
    RunOptions options;
    std::vector<const Device*> feed_devices;
    std::vector<const Device*> fetch_devices;
  };

  explicit SessionCore(const SessionOptions& options) : options_(options) {}
  StatusOr<std::shared_ptr<StepRunner>> PlanFor(const NamedTensors& feeds,
                                                const std::vector<std::string>& fetches,
                                                const std::vector<std::string>& targets,
                                                const PlanMode& mode, const Patience& patience);
  Status ResolveDevices(const Graph& graph, const std::map<std::string, std::string>& asked,
                        const std::vector<std::string>& names,
                        const std::vector<OutputRef>& outputs, const char* what,
                        std::vector<Memory>* memories, std::vector<const Device*>* devices);
  // A plan that is not kept by its names, for a step that Close cancels meanwhile.
  StatusOr<std::shared_ptr<StepRunner>> CompileApart(StepBounds bounds, const PlanMode& mode,
                                                     const RunOptions& options);
  // Gives the step a graph in which some outputs take the places of others, which become unused.
  Status Connect(const std::vector<std::pair<std::string, std::string>>& connections,
                 StepBounds* bounds, PlanMode* mode);
  Status CheckOptions(const RunOptions& options) const;
  int64_t TimeoutOf(const RunOptions& options) const {
    return options.timeout_ms > 0 ? options.timeout_ms : options_.operation_timeout_ms;
  }
  // With other sessions, which fill queues too.
  bool SharesResources() const { return options_.resources != nullptr; }
  // Whether a step of the plan could wait for ever for a queue, nobody being there to end it.
  Status CheckDequeues(const StepRunner& runner, const RunOptions& options);
  // The caller's own task.
  LocalTask& home() const { return compiler_->target().home(); }
  std::shared_ptr<StepContext> NewContext() { return home().NewContext(NewStepId()); }
  Status BeginStep(StepContext* context);
  void EndStep(StepContext* context);
  Status RunPlan(const std::shared_ptr<StepRunner>& shared, std::shared_ptr<StepContext> context,
                 const RunOptions& options, const Patience& patience, Span<const Tensor> feeds,
                 std::vector<Tensor>* fetched, RunMetadata* metadata);
  // What the step is predicted to need; null where the session makes no forecasts. Its error where
  // the session refuses the step.
  StatusOr<StepRunner::Forecast> Foresee(StepRunner& runner, Span<const Tensor> feeds);
  void ResetMemoryPeaks() const;
  void TellMemory(const StepRunner::Forecast& forecast, RunMetadata* metadata) const;
  // With steps_mutex_ held.
  void Forget(StepContext* context);
  std::vector<std::shared_ptr<StepRunner>> AllRunners();

  static constexpr size_t kMostPlans = 256;

  const SessionOptions options_;
  std::shared_ptr<StepCompiler> compiler_;
  StepsAtOnce at_once_;

  PlanCache plans_{kMostPlans};
  std::mutex callables_mutex_;
  std::map<CallableHandle, std::shared_ptr<const Callable>> callables_;
  CallableHandle next_callable_ = 1;

  std::mutex steps_mutex_;
  std::vector<StepContext*> running_;
  std::map<std::string, std::shared_ptr<warpbeam::PartialRun>> partial_runs_;
  bool closed_ = false;   // no new steps
  bool drained_ = false;  // no old ones
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_SESSION_CORE_H_
