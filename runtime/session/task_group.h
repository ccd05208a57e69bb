// TaskGroup: several tasks in one process, each with devices, state and functions of its own: a
// cluster without a network. Steps are cut by tasks (placement/cut.h); each task compiles its part
// as if it were alone, and the parts of a step meet at one rendezvous.
//
//   TaskGroupOptions options;
//   options.tasks = {{"worker", 0}, {"ps", 0}};            // the first is the caller's
//   options.session.simulated_gpus = 1;                     // of each task
//   WB_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, NewTaskGroupSession(options, graph));
//   session->Run({}, {}, {"loss:0"}, {}, &fetched);        // nodes on "/job:ps/task:0" run there
//
// The caller's thread runs the part of the first task, threads of their own those of the others.
// The first error ends all parts. Variables, queues and tables are those of their task.
//
// Ownership: as Session's; the target owns its tasks. Thread safety: as Session's. Errors: those of
// cutting; UNIMPLEMENTED for partial runs, for tensors that stay on devices and for shared devices
// or resources; INVALID_ARGUMENT for no tasks or the same one twice.
#ifndef WARPBEAM_RUNTIME_SESSION_TASK_GROUP_H_
#define WARPBEAM_RUNTIME_SESSION_TASK_GROUP_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session/step_target.h"
#include "runtime/session/task_cutter.h"

namespace warpbeam {

struct TaskGroupOptions {
  std::vector<std::pair<std::string, int>> tasks;  // job and number
  SessionOptions session;                          // devices are those of each task
};

StatusOr<std::unique_ptr<Session>> NewTaskGroupSession(const TaskGroupOptions& options,
                                                       std::shared_ptr<Graph> graph);

class TaskGroup final : public StepTarget {
 public:
  static StatusOr<std::unique_ptr<TaskGroup>> Create(const TaskGroupOptions& options,
                                                     const Graph& graph, LocalTask::Dump dump);

  const SiteList& sites() const override { return cutter_->sites(); }
  const KernelCatalog& kernels() const override { return KernelsFor(*tasks_[0]->devices()); }
  LocalTask& home() override { return *tasks_[0]; }
  StatusOr<Machine> DescribeMachine() const override;
  void UpdateLibrary(const FunctionLibrary& library) override;
  StatusOr<std::unique_ptr<StepRunner>> Compile(const StepBounds& bounds,
                                                const PlanMode& mode) override;
  void ClearResources() override;

 private:
  TaskGroup() = default;

  std::vector<std::unique_ptr<LocalTask>> tasks_;
  std::unique_ptr<TaskCutter> cutter_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_TASK_GROUP_H_
