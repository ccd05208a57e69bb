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
  machine.links_ = std::move(links);
  WB_RETURN_IF_ERROR(machine.CheckLinks());
  machine.FindClasses();
  machine.LayRoutes();
  WB_RETURN_IF_ERROR(machine.CheckRoutes());
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

Status Machine::CheckLinks() const {
  for (size_t i = 0; i < links_.size(); ++i) {
    const MachineLink& link = links_[i];
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

std::vector<bool> Machine::MemoriesOf(const DeviceName& name) const {
  std::vector<bool> memories(devices_.size(), false);
  for (int d = 0; d < num_devices(); ++d) {
    if (name.Matches(devices_[d].name)) memories[memory_of_[d]] = true;
  }
  return memories;
}

void Machine::FindClasses() {
  std::vector<std::vector<bool>> of_link;  // memories at which one starts, at which it ends, …
  for (const MachineLink& link : links_) {
    of_link.push_back(MemoriesOf(link.from));
    of_link.push_back(MemoriesOf(link.to));
  }
  std::map<std::vector<bool>, int> classes;
  class_of_.assign(devices_.size(), -1);
  starts_.resize(links_.size());
  ends_.resize(links_.size());
  for (int m = 0; m < num_devices(); ++m) {
    if (memory_of_[m] != m) continue;
    std::vector<bool> key;
    for (const std::vector<bool>& memories : of_link) key.push_back(memories[m]);
    const auto [found, is_new] = classes.try_emplace(key, num_classes_);
    class_of_[m] = found->second;
    if (!is_new) continue;
    for (size_t i = 0; i < links_.size(); ++i) {
      if (key[2 * i]) starts_[i].push_back(num_classes_);
      if (key[2 * i + 1]) ends_[i].push_back(num_classes_);
    }
    ++num_classes_;
  }
}

// From the last link to the first, which counts.
void Machine::LayRoutes() {
  const auto n = static_cast<size_t>(num_classes_);
  link_of_.assign(n * n, -1);
  for (int i = static_cast<int>(links_.size()) - 1; i >= 0; --i) {
    for (const int from : starts_[i]) {
      for (const int to : ends_[i]) {
        link_of_[from * n + to] = i;
        if (links_[i].both_ways) link_of_[to * n + from] = i;
      }
    }
  }
  std::map<std::string, int> buses;
  for (const MachineLink& link : links_) {
    if (link.shares.empty()) {
      bus_of_.push_back(-1);
      continue;
    }
    const auto [bus, is_new] = buses.try_emplace(link.shares, static_cast<int>(buses_.size()));
    if (is_new) buses_.push_back(link.shares);
    bus_of_.push_back(bus->second);
  }
}

Status Machine::CheckRoutes() const {
  // Two memories stand for all of their class.
  std::vector<std::vector<int>> examples(static_cast<size_t>(num_classes_));
  for (int m = 0; m < num_devices(); ++m) {
    if (memory_of_[m] == m && examples[class_of_[m]].size() < 2)
      examples[class_of_[m]].push_back(m);
  }
  for (int from = 0; from < num_classes_; ++from) {
    for (int to = 0; to < num_classes_; ++to) {
      if (from == to && examples[from].size() < 2) continue;
      if (link_of_[static_cast<size_t>(from) * num_classes_ + to] >= 0) continue;
      const int start = examples[from].front();
      const int end = from == to ? examples[to].back() : examples[to].front();
      return InvalidArgument("the machine has no link from '", devices_[start].name.ToString(),
                             "' to '", devices_[end].name.ToString(),
                             "'; a link without 'from' and 'to' stands for all");
    }
  }
  return OkStatus();
}

}  // namespace warpbeam
