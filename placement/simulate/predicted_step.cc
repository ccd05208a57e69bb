#include "placement/simulate/predicted_step.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

// Numbers lanes: an item goes into the first that is free when it begins.
void NumberLanes(std::vector<PredictedStep::Item>* items) {
  std::stable_sort(items->begin(), items->end(),
                   [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
  std::map<std::pair<bool, int32_t>, std::vector<double>> free;  // by device: when lanes are free
  for (PredictedStep::Item& item : *items) {
    std::vector<double>& lanes = free[{item.is_transfer, item.device}];
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&item](double end_s) { return end_s <= item.start_s; });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), 0);
    *lane = item.end_s;
    item.lane = static_cast<int32_t>(lane - lanes.begin());
  }
}

}  // namespace

PredictedStep PredictedStepOf(const StepGraph& step, const Machine& machine,
                              const Simulator& simulator, Span<const int> devices,
                              const PlacementReport& report) {
  absl::flat_hash_map<std::string, int32_t> node_of, device_of;
  for (size_t n = 0; n < report.nodes.size(); ++n) {
    node_of[report.nodes[n].node] = static_cast<int32_t>(n);
  }
  for (size_t d = 0; d < report.devices.size(); ++d) {
    device_of[report.devices[d]] = static_cast<int32_t>(d);
  }
  const auto device = [&](int d) {
    const auto found = device_of.find(machine.device(d).name.ToString());
    return found == device_of.end() ? 0 : found->second;
  };
  PredictedStep predicted;
  if (report.devices.empty()) return predicted;
  predicted.step_s = simulator.step_s();
  const auto node = [&](int k) {
    const auto found = node_of.find(step.name(k));
    return found == node_of.end() ? -1 : found->second;
  };
  for (int k = 0; k < step.num_nodes(); ++k) {
    if (step.is_source(k) || simulator.end_s(k) <= simulator.start_s(k) || node(k) < 0) continue;
    PredictedStep::Item item;
    item.node = node(k);
    item.device = device(devices[k]);
    item.start_s = simulator.start_s(k);
    item.end_s = simulator.end_s(k);
    predicted.items.push_back(item);
  }
  for (const Simulator::Transfer& transfer : simulator.transfers()) {
    PredictedStep::Item item;
    const int producer = step.output(transfer.output).producer;
    item.node = producer < 0 ? -1 : node(producer);
    item.is_transfer = true;
    item.device = device(transfer.to);
    item.start_s = transfer.start_s;
    item.end_s = transfer.end_s;
    item.bytes = static_cast<int64_t>(transfer.bytes);
    predicted.items.push_back(item);
  }
  NumberLanes(&predicted.items);
  return predicted;
}

}  // namespace warpbeam
