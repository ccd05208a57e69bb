#include "tools/cli/simulation/planned_step.h"

#include <utility>

#include "runtime/session/session.h"
#include "runtime/state/resource_store.h"

namespace warpbeam {
namespace cli {
namespace {

// More devices than this are a thought experiment, for which no threads are to be started.
constexpr int kMostDevices = 64;

}  // namespace

bool PlannedStep::Follows(const Machine& machine, const StepPart& part) {
  if (part.fetches.empty() && part.targets.empty()) return false;
  int count[kNumDeviceTypes] = {};
  for (int d = 0; d < machine.num_devices(); ++d) {
    const DeviceType type = machine.type(d);
    // Sessions have CPUs first.
    if (type == DeviceType::kCpu && d != count[static_cast<int>(type)]) return false;
    const DeviceName usual = DeviceName::Local(type, count[static_cast<int>(type)]++);
    if (usual.ToString() != machine.device(d).name.ToString()) return false;
  }
  return machine.num_devices() <= kMostDevices;
}

StatusOr<std::unique_ptr<PlannedStep>> PlannedStep::Make(std::shared_ptr<const Graph> graph,
                                                         const std::vector<Site>& sites,
                                                         const StepPart& part,
                                                         const Machine& machine,
                                                         const std::string& passes) {
  SessionOptions options;
  options.cpu_devices = options.simulated_gpus = 0;
  for (int d = 0; d < machine.num_devices(); ++d) {
    ++(machine.type(d) == DeviceType::kCpu ? options.cpu_devices : options.simulated_gpus);
  }
  options.inter_op_threads = options.cpu_devices;
  options.gpus = 0;
  options.passes = passes;
  options.allow = CapabilitySet();
  std::unique_ptr<PlannedStep> planned(new PlannedStep);
  WB_ASSIGN_OR_RETURN(std::shared_ptr<DeviceSet> devices, CreateDevices(options));
  WB_ASSIGN_OR_RETURN(planned->task_,
                      LocalTask::Create(options, *graph, std::move(devices),
                                        std::make_shared<ResourceStore>(), nullptr));
  std::shared_ptr<Graph> placed = Graph::Overlay(std::move(graph));
  placed->SetSites(sites);
  planned->before_ = placed;
  StepBounds bounds;
  bounds.graph = std::move(placed);
  bounds.feeds = part.feeds;
  bounds.fetches = part.fetches;
  bounds.targets = part.targets;
  WB_ASSIGN_OR_RETURN(planned->lowering_, RunPlanPasses(planned->task_->env(), bounds, PlanMode()));
  return planned;
}

}  // namespace cli
}  // namespace warpbeam
