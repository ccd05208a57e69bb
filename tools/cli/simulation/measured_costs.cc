#include "tools/cli/simulation/measured_costs.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "runtime/device/local/device_set.h"
#include "runtime/kernel/kernel_registry.h"
#include "runtime/session/session_machine.h"
#include "runtime/session/step_compiler.h"
#include "runtime/session/step_part.h"
#include "tools/cli/simulation/planned_step.h"

namespace warpbeam {
namespace cli {
namespace {

StatusOr<StepPart> PartOf(const Graph& graph, const StepNames& step) {
  std::vector<OutputRef> feeds;
  for (const std::string& feed : step.feeds) {
    WB_ASSIGN_OR_RETURN(const OutputRef output, ParseOutput(graph, feed, "feed"));
    feeds.push_back(output);
  }
  return StepPart::Named(graph, std::move(feeds), step.fetches, step.targets);
}

}  // namespace

bool HasOneThread(const std::string& model) { return absl::EndsWith(model, ", 1 core"); }

double KernelSeconds(const NodeStats& node, bool alone) {
  constexpr int64_t kExactNs = 200'000;  // ten times what CPU times may be off
  const int64_t wall_ns = node.end_ns - node.start_ns;
  const bool by_cpu = alone && node.cpu_ns >= kExactNs && node.cpu_ns < wall_ns;
  return static_cast<double>(by_cpu ? node.cpu_ns : wall_ns) * 1e-9;
}

StatusOr<Machine> MachineOf(const SessionOptions& options) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<DeviceSet> set, CreateDevices(options));
  return MachineOf(set->names(), {set.get()});
}

Status AddMeasured(const Graph& graph, const SessionOptions& options, const StepNames& step,
                   int64_t unknown_extent, const std::vector<StepStats>& steps, OpCosts* costs) {
  WB_ASSIGN_OR_RETURN(const Machine machine, MachineOf(options));
  const std::shared_ptr<Graph> copy = graph.Clone();
  Placer placer(&KernelRegistry::Global(), machine.names(), PlacingOf(options));
  WB_RETURN_IF_ERROR(placer.Place(*copy));
  WB_ASSIGN_OR_RETURN(const StepPart part, PartOf(*copy, step));
  WB_ASSIGN_OR_RETURN(const auto planned,
                      PlannedStep::Make(copy, placer.sites(), part, machine, options.passes));
  const Graph& run = planned->graph();
  struct Known {
    std::string op, key;
    NodeCost cost;
  };
  absl::flat_hash_map<std::string, Known> known;
  const PlanBounds bounds = planned->bounds();
  for (NodeId id : bounds.kept) {
    const Node& node = run.node(id);
    known[node.name()] = {node.op_name(), OpCostKey(run, node, unknown_extent, &planned->before()),
                          CostOf(run, node, unknown_extent)};
  }
  absl::flat_hash_map<std::string, OpCosts::DeviceModel> models;
  for (const MachineDevice& device : machine.devices()) {
    const bool is_cpu = device.name.known_type() == DeviceType::kCpu;
    models[device.name.ToString()] = {is_cpu ? "CPU" : "GPU", device.model};
  }
  for (const StepStats& stats : steps) {
    for (const NodeStats& node : stats.nodes) {
      const auto found = known.find(node.node);
      const auto model = models.find(node.device);
      if (node.is_copy || node.end_ns < node.start_ns || found == known.end() ||
          model == models.end() || found->second.op != node.op) {
        continue;
      }
      std::vector<int> reuses;
      for (const OutputStats& output : node.outputs) {
        if (output.slot < 0) continue;
        reuses.resize(std::max<size_t>(reuses.size(), output.slot + 1), -1);
        reuses[output.slot] = output.alias_input;
      }
      costs->Add(model->second, found->second.key, found->second.cost,
                 KernelSeconds(node, HasOneThread(model->second.second)), reuses,
                 static_cast<double>(node.workspace_bytes));
    }
  }
  return OkStatus();
}

}  // namespace cli
}  // namespace warpbeam
