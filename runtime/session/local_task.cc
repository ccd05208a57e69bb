#include "runtime/session/local_task.h"

#include <utility>

#include "runtime/memory/pooled_allocator.h"

namespace warpbeam {

PlacerOptions PlacingOf(const SessionOptions& options) {
  PlacerOptions placing;
  placing.allow_soft_placement = options.allow_soft_placement;
  placing.strict = options.strict_placement;
  return placing;
}

FunctionPlans::Setup FunctionSetup(const SessionOptions& options, const Graph& graph,
                                   std::shared_ptr<DeviceSet> devices,
                                   std::shared_ptr<ResourceStore> resources) {
  FunctionPlans::Setup setup;
  setup.ops = &graph.ops();
  setup.devices = std::move(devices);
  setup.resources = std::move(resources);
  setup.placer = PlacingOf(options);
  setup.passes = options.passes;
  setup.deterministic = options.deterministic;
  setup.allow = options.allow.value_or(CapabilitySet::All());
  return setup;
}

namespace {

// "/job:worker/replica:0/task:0" of a full name.
std::string TaskOf(DeviceName device) {
  device.type.reset();
  device.id.reset();
  return device.ToString();
}

}  // namespace

StatusOr<std::unique_ptr<LocalTask>> LocalTask::Create(const SessionOptions& options,
                                                       const Graph& graph,
                                                       std::shared_ptr<DeviceSet> devices,
                                                       std::shared_ptr<ResourceStore> resources,
                                                       Dump dump) {
  std::unique_ptr<LocalTask> task(new LocalTask);
  if (!options.cost_profile.empty()) {
    WB_ASSIGN_OR_RETURN(task->costs_, CostProfile::Read(options.cost_profile));
    if (options.memory_forecast != MemoryForecastUse::kNone) {
      WB_ASSIGN_OR_RETURN(task->op_costs_, OpCosts::Read(options.cost_profile));
    }
  }
  task->devices_ = std::move(devices);
  task->resources_ = std::move(resources);
  // In a cluster that a client brings the set calls its devices otherwise than they call
  // themselves.
  task->resources_->ServeTask(TaskOf(task->devices_->names().front()));
  task->resources_->ServeTask(TaskOf(task->devices_->device(0)->name()));
  task->kernels_ = std::make_unique<KernelCache>();
  task->functions_ = std::make_shared<FunctionPlans>(
      graph.functions(), FunctionSetup(options, graph, task->devices_, task->resources_));
  CompileEnv& env = task->env_;
  env.devices = task->devices_.get();
  env.bodies = [functions = task->functions_.get()](const FunctionRef& function,
                                                    const std::string& device) {
    return functions->Place(function, device);
  };
  env.kernels = task->kernels_.get();
  env.services = {task->resources_.get(), task->functions_.get(),
                  options.allow.value_or(CapabilitySet::All())};
  env.passes = options.passes;
  env.deterministic = options.deterministic;
  env.keeps_outlines = options.memory_forecast != MemoryForecastUse::kNone;
  env.costs = task->costs_.has_value() ? &*task->costs_ : nullptr;
  env.dump = std::move(dump);
  return task;
}

std::shared_ptr<StepContext> LocalTask::NewContext(int64_t step_id,
                                                   std::shared_ptr<Rendezvous> rendezvous) const {
  return std::allocate_shared<StepContext>(PooledAllocator<StepContext>(), step_id,
                                           resources_.get(), functions_.get(),
                                           std::move(rendezvous));
}

}  // namespace warpbeam
