// LocalTask: what a task of this process is made of: its devices, its state, its functions, and all
// that compiling for it needs.
//
//   WB_ASSIGN_OR_RETURN(auto task, LocalTask::Create(options, graph, devices, resources, dump));
//   WB_ASSIGN_OR_RETURN(auto plan, CompilePlan(task->env(), bounds, mode));
//   runner.Run(task->NewContext(step_id, rendezvous), feeds, timeout_ms, &fetched, &report);
//
// Ownership: shares devices and state with whoever made them; it outlives its plans, and its steps
// outlive it no longer than a kernel that does not end. Thread safety: UpdateLibrary beside nothing
// else, the rest from any thread. Errors: those of reading a cost profile.
#ifndef WARPBEAM_RUNTIME_SESSION_LOCAL_TASK_H_
#define WARPBEAM_RUNTIME_SESSION_LOCAL_TASK_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "placement/cost/op_costs.h"
#include "runtime/compile/cost_profile.h"
#include "runtime/compile/kernel_cache.h"
#include "runtime/compile/plan_compiler.h"
#include "runtime/device/local/device_set.h"
#include "runtime/function/function_plans.h"
#include "runtime/kernel/step_context.h"
#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {

class LocalTask {
 public:
  using Dump = std::function<void(const std::string& step, const std::string& text)>;

  // `graph` gives ops and functions; `dump` may be null.
  static StatusOr<std::unique_ptr<LocalTask>> Create(const SessionOptions& options,
                                                     const Graph& graph,
                                                     std::shared_ptr<DeviceSet> devices,
                                                     std::shared_ptr<ResourceStore> resources,
                                                     Dump dump);
  LocalTask(const LocalTask&) = delete;
  LocalTask& operator=(const LocalTask&) = delete;

  const CompileEnv& env() const { return env_; }
  const std::shared_ptr<DeviceSet>& devices() const { return devices_; }
  const std::shared_ptr<ResourceStore>& resources() const { return resources_; }
  const std::shared_ptr<FunctionPlans>& functions() const { return functions_; }
  // What kernels have taken, where the session forecasts its memory and measured costs are given;
  // else null.
  const OpCosts* op_costs() const { return op_costs_.has_value() ? &*op_costs_ : nullptr; }
  void UpdateLibrary(const FunctionLibrary& library) { functions_->UpdateLibrary(library); }
  // Of a step, or of this task's part of one: `rendezvous` is then where the parts meet.
  std::shared_ptr<StepContext> NewContext(int64_t step_id,
                                          std::shared_ptr<Rendezvous> rendezvous = nullptr) const;

 private:
  LocalTask() = default;

  std::shared_ptr<DeviceSet> devices_;
  std::shared_ptr<ResourceStore> resources_;
  std::shared_ptr<FunctionPlans> functions_;
  std::unique_ptr<KernelCache> kernels_;
  std::optional<CostProfile> costs_;
  std::optional<OpCosts> op_costs_;
  CompileEnv env_;
};

// How functions of a session of these options are compiled, on `devices`.
FunctionPlans::Setup FunctionSetup(const SessionOptions& options, const Graph& graph,
                                   std::shared_ptr<DeviceSet> devices,
                                   std::shared_ptr<ResourceStore> resources);
PlacerOptions PlacingOf(const SessionOptions& options);

}  // namespace warpbeam

#endif  // WARPBEAM_RUNTIME_SESSION_LOCAL_TASK_H_
