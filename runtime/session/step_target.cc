#include "runtime/session/step_target.h"

#include <utility>

namespace warpbeam {

StatusOr<std::unique_ptr<StepTarget>> NewLocalTarget(const SessionOptions& options,
                                                     const Graph& graph, LocalTask::Dump dump) {
  std::shared_ptr<DeviceSet> devices = options.devices;
  if (devices == nullptr) {
    WB_ASSIGN_OR_RETURN(devices, CreateDevices(options));
  }
  const bool owns = options.resources == nullptr;
  WB_ASSIGN_OR_RETURN(
      std::unique_ptr<LocalTask> task,
      LocalTask::Create(options, graph, std::move(devices),
                        owns ? std::make_shared<ResourceStore>() : options.resources,
                        std::move(dump)));
  return std::make_unique<LocalTarget>(std::move(task), owns);
}

}  // namespace warpbeam
