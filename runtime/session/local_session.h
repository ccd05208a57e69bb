// LocalSession: the Session of one process.
//
// Lock order: graph_mutex_ (reader to compile, writer to extend) before plans_mutex_.
#ifndef WARPBEAM_RUNTIME_SESSION_LOCAL_SESSION_H_
#define WARPBEAM_RUNTIME_SESSION_LOCAL_SESSION_H_

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "placement/placer.h"
#include "runtime/executor/callable_catalog.h"
#include "runtime/executor/function_plans.h"
#include "runtime/executor/plan_runner.h"
#include "runtime/session/session.h"

namespace warpbeam {

class LocalSession final : public Session {
 public:
  static absl::StatusOr<std::unique_ptr<LocalSession>> Create(const SessionOptions& options,
                                                              std::shared_ptr<Graph> graph);
  ~LocalSession() override;

  absl::Status Extend(const std::function<absl::Status(Graph&)>& change) override;
  absl::Status Run(const RunOptions& options, const NamedTensors& feeds,
                   const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
                   std::vector<Tensor>* fetched, RunMetadata* metadata) override;
  absl::Status Close(int64_t timeout_ms) override;
  std::vector<std::string> DeviceNames() const override;
  absl::StatusOr<PlacementReport> Placement() override;

 private:
  explicit LocalSession(const SessionOptions& options) : options_(options) {}
  absl::Status PlaceNew();
  absl::StatusOr<std::shared_ptr<PlanRunner>> PlanFor(const NamedTensors& feeds,
                                                      const std::vector<std::string>& fetches,
                                                      const std::vector<std::string>& targets);
  absl::StatusOr<std::unique_ptr<Plan>> CompileFor(const NamedTensors& feeds,
                                                   const std::vector<std::string>& fetches,
                                                   const std::vector<std::string>& targets);
  void DumpStep(const std::string& step, const std::string& text);

  // Plans are kept by what they were asked for; the least recently used one goes when there are too
  // many.
  static constexpr size_t kMaxPlans = 256;

  const SessionOptions options_;
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
  std::shared_ptr<FunctionPlans> functions_;
  std::unique_ptr<KernelCache> kernels_;
  std::unique_ptr<CallableCatalog> catalog_;
  std::unique_ptr<Placer> placer_;

  std::shared_mutex graph_mutex_;
  std::mutex plans_mutex_;
  struct CachedPlan {
    std::shared_ptr<PlanRunner> runner;
    uint64_t last_use = 0;
  };
  absl::flat_hash_map<std::string, CachedPlan> plans_;
  uint64_t use_count_ = 0;
  std::vector<std::weak_ptr<PlanRunner>> dropped_;  // out of the cache, perhaps still running

  std::atomic<int64_t> next_step_{1};
  std::mutex steps_mutex_;
  std::set<StepContext*> running_;
  bool closed_ = false;   // no new steps
  bool drained_ = false;  // no old ones
  std::atomic<int> dump_count_{0};
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_LOCAL_SESSION_H_
