#include "runtime/session/session_machine.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "placement/cost/machine_json.h"

namespace warpbeam {

std::string CpuModel(const std::string& description) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!absl::StartsWith(line, "model name")) continue;
    const absl::string_view name = absl::string_view(line).substr(line.find(':') + 1);
    return absl::StrCat(absl::StripAsciiWhitespace(name), ", ", description);
  }
  return absl::StrCat("a CPU, ", description);
}

StatusOr<Machine> MachineOf(const std::vector<DeviceName>& names,
                            const std::vector<const DeviceSet*>& local,
                            const MemoryLimits& elsewhere) {
  WB_ASSIGN_OR_RETURN(const Machine usual, Machine::Usual(names));
  std::map<std::string, const Device*> own;
  for (const DeviceSet* set : local) {
    for (int d = 0; d < set->size(); ++d) {
      own[set->names()[static_cast<size_t>(d)].ToString()] = set->device(d);
    }
  }
  std::vector<MachineDevice> devices = usual.devices();
  for (MachineDevice& described : devices) {
    const std::string name = described.name.ToString();
    const auto limit = elsewhere.find(name);
    if (limit != elsewhere.end()) described.memory_bytes = limit->second;
    const auto found = own.find(name);
    if (found == own.end()) continue;
    const Device& device = *found->second;
    described.model =
        device.type() == DeviceType::kCpu ? CpuModel(device.Description()) : device.Description();
    described.memory_bytes = device.memory_limit();
  }
  return Machine::Create(std::move(devices), usual.links());
}

StatusOr<Machine> ReadMachine(const std::string& path) {
  std::ifstream file(path);
  if (!file) return NotFound("the machine ", path, " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  StatusOr<Machine> read = MachineFromJson(text.str());
  if (read.ok()) return read;
  return InvalidArgument("the machine ", path, ": ", read.status().message());
}

StatusOr<Machine> ReadMachineOf(const std::string& path, const std::vector<DeviceName>& names) {
  WB_ASSIGN_OR_RETURN(const Machine read, ReadMachine(path));
  std::vector<MachineDevice> devices;
  for (const DeviceName& name : names) {
    const auto described = std::find_if(
        read.devices().begin(), read.devices().end(),
        [&](const MachineDevice& device) { return device.name.ToString() == name.ToString(); });
    if (described == read.devices().end()) {
      return InvalidArgument("the machine ", path, " has no '", name.ToString(),
                             "', which the session has; describe each of its devices");
    }
    devices.push_back(*described);
  }
  // Links that lead to nothing any more are errors of a machine.
  std::vector<MachineLink> links;
  for (const MachineLink& link : read.links()) {
    const auto leads = [&](const DeviceName& end) {
      return std::any_of(devices.begin(), devices.end(),
                         [&](const MachineDevice& device) { return end.Matches(device.name); });
    };
    if (leads(link.from) && leads(link.to)) links.push_back(link);
  }
  StatusOr<Machine> machine = Machine::Create(std::move(devices), std::move(links));
  if (machine.ok()) return machine;
  return InvalidArgument("the machine ", path, ": ", machine.status().message());
}

}  // namespace warpbeam
