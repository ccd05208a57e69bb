#include <algorithm>

#include "graph/io/graph_import.h"
#include "placement/diagram.h"
#include "placement/placer.h"
#include "runtime/kernel/kernel_registry.h"
#include "tools/report/page.h"

namespace warpbeam {
namespace report {
namespace {

// A graph that asks for more is drawn on this many.
constexpr int kMostDevices = 64;

// As many devices of each type as the nodes ask for; always a CPU.
std::vector<DeviceName> DevicesOf(const Graph& graph) {
  int counts[kNumDeviceTypes] = {};
  counts[static_cast<int>(DeviceType::kCpu)] = 1;
  for (const Node& node : graph.nodes()) {
    const auto name = DeviceName::Parse(node.device());
    if (!name.ok() || !name->known_type()) continue;
    int& count = counts[static_cast<int>(*name->known_type())];
    count = std::max(count, std::min(kMostDevices, name->id.value_or(0) + 1));
  }
  std::vector<DeviceName> devices;
  for (const DeviceType type : {DeviceType::kCpu, DeviceType::kGpu}) {
    for (int i = 0; i < counts[static_cast<int>(type)]; ++i) {
      devices.push_back(DeviceName::Local(type, i));
    }
  }
  return devices;
}

}  // namespace

StatusOr<std::string> PlacementPicture(const std::string& graph_def) {
  Graph graph;
  WB_RETURN_IF_ERROR(ImportGraphDef(graph_def, ImportOptions(), &graph));
  Placer placer(&KernelRegistry::Global(), DevicesOf(graph), PlacerOptions());
  WB_RETURN_IF_ERROR(placer.Place(graph));
  return warpbeam::PlacementPage(placer.Report(graph));
}

}  // namespace report
}  // namespace warpbeam
