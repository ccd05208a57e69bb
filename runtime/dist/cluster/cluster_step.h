// ClusterStep: a step that several tasks run, each its part: this one here, the others theirs.
//
// The first error ends the step everywhere: waiting calls are cancelled, and every task is told to
// drop what it still holds for the step (CleanupGraph).
//
// Ownership: owns the plan of this task's part, a thread for each partial run, which it waits for
// in the end, and the registrations of the others, which it then gives back. Thread safety: as
// StepRunner. Errors: the first of any part, told by its task; CANCELLED; DEADLINE_EXCEEDED.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_CLUSTER_STEP_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_CLUSTER_STEP_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/dist/cluster/step_collectives.h"
#include "runtime/dist/cluster/worker.h"
#include "runtime/session/local_task.h"
#include "runtime/session/step_runner.h"

namespace warpbeam {

class ClusterStep final : public StepRunner {
 public:
  struct RemotePart {
    std::string task;
    std::shared_ptr<WorkerPeer> peer;
    std::string graph_handle;
  };
  struct Parts {
    Worker* worker = nullptr;  // of this task
    std::shared_ptr<const TaskIdentity> identity;
    const LocalTask* home_task = nullptr;  // null: this task has no part
    std::unique_ptr<PlanRunner> home;
    std::vector<RemotePart> remote;
    std::string session_handle;
    std::shared_ptr<const CollectiveScope> collectives;
    bool is_numbered = false;  // other masters' steps meet it by its number (step_numbers.h)
    size_t num_fetches = 0;
    bool is_partial = false;
  };

  ClusterStep(Parts parts, PlanFacts facts);
  ~ClusterStep() override;

  Status Run(std::shared_ptr<StepContext> context, Span<const Tensor> feeds, int64_t timeout_ms,
             std::vector<Tensor>* fetched, StepReport* report) override;
  void Start(std::shared_ptr<StepContext> context, std::function<void(Status)> done) override;
  StatusOr<std::shared_ptr<Rendezvous>> NewMeeting(int64_t step_id) override {
    return parts_.worker->steps().Get(step_id);
  }
  const PlanFacts& facts() const override { return facts_; }
  std::vector<DeviceGraph> DeviceGraphs() const override;
  bool Drain(int64_t timeout_ms) override;
  std::vector<std::string> Running() const override;
  std::vector<std::string> RunningOf(const StepContext* context) const override;
  void ReplaceWorkers(const StepContext* /*context*/) override {}

 private:
  class Remote;
  // A step of this that runs.
  struct UnderWay {
    std::shared_ptr<StepContext> home;  // null: this task has no part in it
    std::shared_ptr<TaskRendezvous> rendezvous;
    std::shared_ptr<Remote> remote;
  };

  // The number is the context's own, or what other masters know the step by.
  Status RunNumbered(int64_t step_id, const std::shared_ptr<StepContext>& context,
                     Span<const Tensor> feeds, int64_t timeout_ms, std::vector<Tensor>* fetched,
                     StepReport* report);
  Status RunHome(const std::shared_ptr<StepContext>& context, const UnderWay& step,
                 Span<const Tensor> feeds, int64_t timeout_ms, std::vector<Tensor>* fetched,
                 StepReport* report);
  void CleanUp(int64_t step_id);

  const Parts parts_;
  const PlanFacts facts_;
  mutable std::mutex mutex_;  // of what follows
  std::map<const StepContext*, UnderWay> under_way_;
  std::vector<std::thread> started_;  // of partial runs
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_CLUSTER_STEP_H_
