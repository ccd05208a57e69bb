// StepTarget: where the steps of a session run: in this process, or on the tasks of a cluster.
//
// A session core (session_core.h) keeps graph, names, plans and callables; the target has devices,
// compiles what is to run on them and runs it.
//
//   Placer placer(&catalog, target.sites().names(), options);
//   WB_ASSIGN_OR_RETURN(auto runner, target.Compile(bounds, mode));
//
// Ownership: a target outlives the runners that it has compiled. Thread safety: Compile from many
// threads at once, UpdateLibrary beside nothing else. Errors: those of compiling.
#ifndef WARPBEAM_RUNTIME_SESSION_STEP_TARGET_H_
#define WARPBEAM_RUNTIME_SESSION_STEP_TARGET_H_

#include <memory>

#include "placement/cut.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/function/callable_catalog.h"
#include "runtime/session/local_task.h"
#include "runtime/session/session_machine.h"
#include "runtime/session/step_runner.h"

namespace warpbeam {

class StepTarget {
 public:
  virtual ~StepTarget() = default;
  // The devices of all tasks. What is compiled is placed on them.
  virtual const SiteList& sites() const = 0;
  virtual const KernelCatalog& kernels() const = 0;
  // The task whose memory holds what is fed and fetched, the first of sites().
  virtual LocalTask& home() = 0;
  // The devices of sites() with what is known of them, for simulating steps (session_machine.h).
  virtual StatusOr<Machine> DescribeMachine() const = 0;
  // Takes over functions that the graph has gained.
  virtual void UpdateLibrary(const FunctionLibrary& library) = 0;
  virtual StatusOr<std::unique_ptr<StepRunner>> Compile(const StepBounds& bounds,
                                                        const PlanMode& mode) = 0;
  // Whether steps of other masters may be members of the same collectives.
  virtual bool has_other_masters() const { return false; }
  // The session is closed: variables and the like go, if nobody shares them.
  virtual void ClearResources() = 0;
};

// This process and nobody else.
class LocalTarget final : public StepTarget {
 public:
  LocalTarget(std::unique_ptr<LocalTask> task, bool owns_resources)
      : task_(std::move(task)),
        owns_resources_(owns_resources),
        sites_(task_->devices()->names()) {}
  const SiteList& sites() const override { return sites_; }
  const KernelCatalog& kernels() const override { return KernelsFor(*task_->devices()); }
  LocalTask& home() override { return *task_; }
  StatusOr<Machine> DescribeMachine() const override {
    return MachineOf(sites_.names(), {task_->devices().get()});
  }
  void UpdateLibrary(const FunctionLibrary& library) override { task_->UpdateLibrary(library); }
  StatusOr<std::unique_ptr<StepRunner>> Compile(const StepBounds& bounds,
                                                const PlanMode& mode) override {
    WB_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan, CompilePlan(task_->env(), bounds, mode));
    return std::make_unique<LocalStep>(std::move(plan));
  }
  void ClearResources() override {
    if (owns_resources_) task_->resources()->Clear();
  }

 private:
  const std::unique_ptr<LocalTask> task_;
  const bool owns_resources_;
  const SiteList sites_;
};

// With the devices and resources of the options, or new ones.
StatusOr<std::unique_ptr<StepTarget>> NewLocalTarget(const SessionOptions& options,
                                                     const Graph& graph, LocalTask::Dump dump);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_STEP_TARGET_H_
