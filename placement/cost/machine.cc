#include "placement/cost/machine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace warpbeam {
namespace {

// One core of a server with AVX2 at about half of its peak, and its share of the memory's
// bandwidth; a GPU of a data centre in float, without its tensor cores.
constexpr ComputeRate kUsualCpu[kNumCostClasses] = {{2e9, 8e9}, {4e10, 1e10}, {3e10, 1e10}};
constexpr ComputeRate kUsualGpu[kNumCostClasses] = {{5e12, 5e11}, {8e12, 6e11}, {8e12, 6e11}};
constexpr double kUsualLaunch[kNumDeviceTypes] = {1e-6, 5e-6};
// A stream waits for nobody's thread.
constexpr double kUsualHandOver[kNumDeviceTypes] = {2e-6, 0};
constexpr double kUsualWake[kNumDeviceTypes] = {3e-5, 0};
// A PCI Express bus of the third generation, sixteen lanes wide.
constexpr double kUsualLatency = 1e-5;
constexpr double kUsualBandwidth = 1.2e10;

bool IsPositive(double value) { return std::isfinite(value) && value > 0; }
bool IsTime(double value) { return std::isfinite(value) && value >= 0; }

Status CheckRate(const std::string& device, const std::string& what, const ComputeRate& rate) {
  if (IsPositive(rate.flops_per_s) && IsPositive(rate.bytes_per_s)) return OkStatus();
  return InvalidArgument("device '", device, "': the rates of '", what,
                         "' must be positive, they are ", rate.flops_per_s, " operations and ",
                         rate.bytes_per_s, " bytes per second");
}

std::string TaskOf(DeviceName name) {
  name.type.reset();
  name.id.reset();
  return name.ToString();
}

std::string Named(const DeviceName& name) {
  return name.empty() ? "any device" : absl::StrCat("'", name.ToString(), "'");
}

}  // namespace

MachineDevice MachineDevice::Usual(DeviceName name, DeviceType type) {
  MachineDevice device;
  device.name = std::move(name);
  device.launch_s = kUsualLaunch[static_cast<int>(type)];
  device.hand_over_s = kUsualHandOver[static_cast<int>(type)];
  device.wake_s = kUsualWake[static_cast<int>(type)];
  const ComputeRate* rates = type == DeviceType::kCpu ? kUsualCpu : kUsualGpu;
  std::copy(rates, rates + kNumCostClasses, device.rates);
  return device;
}

StatusOr<Machine> Machine::Create(std::vector<MachineDevice> devices,
                                  std::vector<MachineLink> links) {
  Machine machine;
  machine.devices_ = std::move(devices);
  WB_RETURN_IF_ERROR(machine.CheckDevices());
  WB_RETURN_IF_ERROR(machine.FindMemories());
  WB_RETURN_IF_ERROR(machine.CheckLinks(links));
  WB_RETURN_IF_ERROR(machine.LayRoutes(links));
  machine.links_ = std::move(links);
  return machine;
}

StatusOr<Machine> Machine::Usual(const std::vector<DeviceName>& names) {
  std::vector<MachineDevice> devices;
  for (const DeviceName& name : names) {
    devices.push_back(MachineDevice::Usual(name, name.known_type().value_or(DeviceType::kCpu)));
  }
  MachineLink link;
  link.latency_s = kUsualLatency;
  link.bytes_per_s = kUsualBandwidth;
  return Create(std::move(devices), {std::move(link)});
}

std::vector<DeviceName> Machine::names() const {
  std::vector<DeviceName> names;
  for (const MachineDevice& device : devices_) names.push_back(device.name);
  return names;
}

double Machine::Seconds(const NodeCost& cost, const std::string& op, int d) const {
  if (!cost.is_work()) return 0;
  const MachineDevice& device = devices_[d];
  const auto own = device.op_rates.find(op);
  const bool is_known = own != device.op_rates.end();
  const ComputeRate& rate = is_known ? own->second : device.rate(cost.cost_class);
  return device.launch_s + (is_known ? own->second.setup_s : 0) +
         std::max(cost.flops / rate.flops_per_s, cost.bytes / rate.bytes_per_s);
}

Status Machine::CheckDevices() {
  if (devices_.empty()) return InvalidArgument("the machine has no device; it needs at least one");
  if (num_devices() > kMostDevices) {
    return InvalidArgument("the machine has more than ", kMostDevices, " devices: ", num_devices());
  }
  std::set<std::string> seen;
  for (const MachineDevice& device : devices_) {
    const std::string name = device.name.ToString();
    const std::optional<DeviceType> type = device.name.known_type();
    if (!device.name.IsFull() || !type) {
      return InvalidArgument("'", name,
                             "' is no full name of a device, as "
                             "/job:localhost/replica:0/task:0/device:GPU:1 is");
    }
    if (!seen.insert(name).second) {
      return InvalidArgument("the machine has the device '", name, "' twice");
    }
    types_.push_back(*type);
    if (device.memory_bytes < 0) {
      return InvalidArgument("device '", name,
                             "': its memory cannot be negative: ", device.memory_bytes);
    }
    if (device.lanes < 1) {
      return InvalidArgument("device '", name, "': it has at least one lane, not ", device.lanes);
    }
    const std::pair<const char*, double> times[] = {{"a launch", device.launch_s},
                                                    {"a hand-over", device.hand_over_s},
                                                    {"waking", device.wake_s}};
    for (const auto& [what, seconds] : times) {
      if (IsTime(seconds)) continue;
      return InvalidArgument("device '", name, "': ", what, " takes no time or some, not ", seconds,
                             " s");
    }
    for (int c = 0; c < kNumCostClasses; ++c) {
      WB_RETURN_IF_ERROR(CheckRate(name, kCostClassNames[c], device.rates[c]));
    }
    for (const auto& [op, rate] : device.op_rates) {
      WB_RETURN_IF_ERROR(CheckRate(name, op, rate));
      if (IsTime(rate.setup_s)) continue;
      return InvalidArgument("device '", name, "': '", op,
                             "' takes no time to set up or some, not ", rate.setup_s, " s");
    }
  }
  return OkStatus();
}

Status Machine::FindMemories() {
  absl::flat_hash_map<std::string, int> hosts;
  for (int d = 0; d < num_devices(); ++d) {
    if (types_[d] == DeviceType::kCpu) hosts.try_emplace(TaskOf(devices_[d].name), d);
  }
  for (int d = 0; d < num_devices(); ++d) {
    const auto host = hosts.find(TaskOf(devices_[d].name));
    if (host == hosts.end()) {
      return InvalidArgument(
          "device '", devices_[d].name.ToString(),
          "' has no CPU beside it; give its task one: ", TaskOf(devices_[d].name), "/device:CPU:0");
    }
    host_of_.push_back(host->second);
    memory_of_.push_back(types_[d] == DeviceType::kCpu ? host->second : d);
  }
  return OkStatus();
}

Status Machine::CheckLinks(const std::vector<MachineLink>& links) const {
  for (size_t i = 0; i < links.size(); ++i) {
    const MachineLink& link = links[i];
    const std::string named =
        absl::StrCat("link ", i, " (", Named(link.from), " to ", Named(link.to), ")");
    if (!IsTime(link.latency_s)) {
      return InvalidArgument(named, ": its latency cannot be ", link.latency_s, " s");
    }
    if (!IsPositive(link.bytes_per_s)) {
      return InvalidArgument(named, ": its bandwidth must be positive, it is ", link.bytes_per_s,
                             " bytes per second");
    }
    for (const DeviceName& end : {link.from, link.to}) {
      if (std::none_of(devices_.begin(), devices_.end(),
                       [&](const MachineDevice& device) { return end.Matches(device.name); })) {
        return InvalidArgument(named, ": the machine has no such device as ", Named(end));
      }
    }
  }
  return OkStatus();
}

bool Machine::Fits(const DeviceName& name, int memory) const {
  for (int d = memory; d < num_devices(); ++d) {
    if (memory_of_[d] == memory && name.Matches(devices_[d].name)) return true;
  }
  return false;
}

Status Machine::LayRoutes(const std::vector<MachineLink>& links) {
  const int n = num_devices();
  std::vector<std::vector<bool>> starts(links.size()), ends(links.size());
  for (size_t i = 0; i < links.size(); ++i) {
    for (int m = 0; m < n; ++m) {
      starts[i].push_back(memory_of_[m] == m && Fits(links[i].from, m));
      ends[i].push_back(memory_of_[m] == m && Fits(links[i].to, m));
    }
  }
  std::map<std::string, int> shared;
  routes_.resize(static_cast<size_t>(n) * n);
  for (int from = 0; from < n; ++from) {
    for (int to = 0; to < n; ++to) {
      if (from == to || memory_of_[from] != from || memory_of_[to] != to) continue;
      size_t i = 0;
      while (i < links.size() && !(starts[i][from] && ends[i][to]) &&
             !(links[i].both_ways && starts[i][to] && ends[i][from])) {
        ++i;
      }
      if (i == links.size()) {
        return InvalidArgument("the machine has no link from '", devices_[from].name.ToString(),
                               "' to '", devices_[to].name.ToString(),
                               "'; a link without 'from' and 'to' stands for all");
      }
      Route& route = routes_[static_cast<size_t>(from) * n + to];
      route.latency_s = links[i].latency_s;
      route.bytes_per_s = links[i].bytes_per_s;
      route.channel = num_channels();
      const std::string& common = links[i].shares;
      if (!common.empty()) route.channel = shared.try_emplace(common, route.channel).first->second;
      if (route.channel == num_channels()) channels_.push_back(common);
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
