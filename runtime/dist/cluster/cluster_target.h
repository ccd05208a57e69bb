// ClusterTarget: the steps of a session run on the tasks of a cluster: this one, whose worker is in
// this process, and others.
//
// A step is placed on the devices of all tasks and cut by task. The part of this task is compiled
// and run here; each other task registers its own (RegisterGraph) and runs it (RunGraph) under the
// step's number. What the caller feeds and fetches is this task's.
//
//   ClusterTarget::Options options;
//   options.session = …;  options.worker = worker;
//   WB_ASSIGN_OR_RETURN(auto target, ClusterTarget::Create(options, graph, dump));
//
// Creating one asks every task for its devices and opens a session on it; the target's end closes
// those sessions. Tasks that are not there yet are waited for, and named in the log after a second
// and then every ten.
//
// Ownership: `worker` outlives it, and so do its steps. Thread safety: as StepTarget. Errors: those
// of cutting and of the tasks, told by them; UNAVAILABLE naming the tasks that did not answer in
// time; CANCELLED and DEADLINE_EXCEEDED as of a local step.
#ifndef WARPBEAM_RUNTIME_DIST_CLUSTER_CLUSTER_TARGET_H_
#define WARPBEAM_RUNTIME_DIST_CLUSTER_CLUSTER_TARGET_H_

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/dist/cluster/device_filters.h"
#include "runtime/dist/cluster/step_collectives.h"
#include "runtime/dist/cluster/worker.h"
#include "runtime/session/session_core.h"
#include "runtime/session/step_target.h"
#include "runtime/session/task_cutter.h"

namespace warpbeam {

class CollectiveMeetings;

class ClusterTarget final : public StepTarget {
 public:
  struct Options {
    SessionOptions session;  // with resources of its own where isolated; the devices are the task's
    bool is_isolated = false;
    Worker* worker = nullptr;
    // Who this task is, and the others; null: those of the worker's own cluster.
    std::shared_ptr<const TaskIdentity> identity;
    // The cluster that the client has brought, which the tasks are told; null: their own.
    std::shared_ptr<const tensorflow::ClusterDef> cluster;
    // Which other tasks and devices the session has: those that fit one of them. Empty: all.
    DeviceFilters filters;
    // For opening sessions and registering graphs.
    int64_t call_timeout_ms = 60000;
    std::string group_leader;  // of collectives; "": the cluster's (task_collectives.h)
    bool asks_nccl = false;    // between tasks whose connections are encrypted, too
    // Gets lines about what is waited for; null: nobody reads them.
    std::function<void(const std::string& line)> log;
    // Why a session that still waits for tasks is not wanted any more; null, or OK: it is.
    std::function<Status()> ended;
  };

  static StatusOr<std::unique_ptr<ClusterTarget>> Create(Options options, const Graph& graph,
                                                         LocalTask::Dump dump);
  ~ClusterTarget() override;

  const SiteList& sites() const override { return cutter_->sites(); }
  const KernelCatalog& kernels() const override { return KernelsFor(*home_->devices()); }
  LocalTask& home() override { return *home_; }
  StatusOr<Machine> DescribeMachine() const override {
    return MachineOf(sites().names(), {home_->devices().get()}, limits_);
  }
  void UpdateLibrary(const FunctionLibrary& library) override;
  StatusOr<std::unique_ptr<StepRunner>> Compile(const StepBounds& bounds,
                                                const PlanMode& mode) override;
  bool has_other_masters() const override { return true; }
  void ClearResources() override;

 private:
  // Another task, in the order of the sites.
  struct Member {
    std::string name;
    std::shared_ptr<WorkerPeer> peer;
    std::vector<DeviceName> devices;
    bool has_session = false;
    bool is_warpbeam = false;  // or TensorFlow's
  };

  explicit ClusterTarget(Options options) : options_(std::move(options)) {}
  const TaskIdentity& identity() const { return *options_.identity; }
  // The devices of all tasks; `members_` are found.
  StatusOr<SiteList> FindSites();
  Status AddDevices(const tensorflow::GetStatusResponse& status, Member* member,
                    std::vector<DeviceName>* names, std::vector<int64_t>* incarnations);
  Status OpenSessions();
  // The groups of collectives of which the step does not run all members, or has some on tasks of
  // TensorFlow's, and those of which it runs all, as far as their keys are known; and whether other
  // masters' steps may have to have the same number. UNIMPLEMENTED for members on TensorFlow's
  // tasks in a cluster that the client has brought.
  Status FindGroups(const StepBounds& bounds, CollectiveScope* collectives,
                    bool* is_numbered) const;
  void Sort(const CollectiveMeetings& meetings, const Graph& graph,
            CollectiveScope* collectives) const;
  bool IsOfTensorFlow(const Graph& graph, NodeId node) const;
  StatusOr<std::string> Register(const TaskPart& part, const CollectiveScope& collectives,
                                 const Member& member);

  const Options options_;
  std::string session_handle_;
  std::atomic<int64_t> next_part_{1};
  std::vector<Member> members_;  // but for the first task, which is this one
  bool has_tensorflow_ = false;  // among them
  MemoryLimits limits_;          // of their devices
  std::unique_ptr<LocalTask> home_;
  std::unique_ptr<TaskCutter> cutter_;
};

// A session whose steps run so.
StatusOr<std::unique_ptr<SessionCore>> NewClusterSession(ClusterTarget::Options options,
                                                         std::shared_ptr<Graph> graph);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_DIST_CLUSTER_CLUSTER_TARGET_H_
