#include "tools/cli/simulation/what_if.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "placement/cost/machine_json.h"

namespace warpbeam {
namespace cli {
namespace {

// What is wrong with a change, whatever found it.
Status Refuse(const std::string& change, absl::string_view why) {
  return InvalidArgument("--what_if=", change, ": ", why);
}

StatusOr<std::vector<MachineDevice>> Without(const Machine& machine, absl::string_view name,
                                             const std::string& change) {
  const std::string full =
      absl::StartsWith(name, "/") ? std::string(name) : absl::StrCat("/", name);
  const StatusOr<DeviceName> gone = DeviceName::Parse(full);
  if (!gone.ok()) return Refuse(change, gone.status().message());
  std::vector<MachineDevice> left = machine.devices();
  left.erase(std::remove_if(left.begin(), left.end(),
                            [&](const MachineDevice& d) { return gone->Matches(d.name); }),
             left.end());
  if (static_cast<int>(left.size()) == machine.num_devices()) {
    return Refuse(change, absl::StrCat("the machine has no such device as '", full, "'"));
  }
  return left;
}

}  // namespace

StatusOr<Machine> WhatIf(const Machine& machine, const std::string& change) {
  std::vector<MachineDevice> devices = machine.devices();
  std::vector<MachineLink> links = machine.links();
  absl::string_view text = change;
  if (absl::ConsumeSuffix(&text, " gone")) {
    WB_ASSIGN_OR_RETURN(devices, Without(machine, text, change));
    // A link that named the device alone has nothing to lead to any more.
    const auto dangles = [&](const DeviceName& end) {
      return std::none_of(devices.begin(), devices.end(),
                          [&](const MachineDevice& d) { return end.Matches(d.name); });
    };
    links.erase(std::remove_if(links.begin(), links.end(),
                               [&](const MachineLink& link) {
                                 return dangles(link.from) || dangles(link.to);
                               }),
                links.end());
  } else if (absl::ConsumePrefix(&text, "memory=")) {
    const StatusOr<int64_t> bytes = ParseBytes(text);
    if (!bytes.ok() || *bytes == 0) return Refuse(change, "a memory is as large as 8GiB is");
    bool has_gpus = false;
    for (int d = 0; d < machine.num_devices(); ++d) has_gpus |= machine.type(d) == DeviceType::kGpu;
    for (int d = 0; d < machine.num_devices(); ++d) {
      if (has_gpus && machine.type(d) != DeviceType::kGpu) continue;
      devices[d].memory_bytes = *bytes;
    }
  } else if (absl::ConsumePrefix(&text, "link=") && absl::ConsumeSuffix(&text, "/s")) {
    const StatusOr<int64_t> bytes = ParseBytes(text);
    if (!bytes.ok() || *bytes == 0) return Refuse(change, "a link is as fast as 10GB/s is");
    if (links.empty()) return Refuse(change, "the machine has no links");
    for (MachineLink& link : links) link.bytes_per_s = static_cast<double>(*bytes);
  } else {
    return Refuse(change, "it is 'gpu:2 gone', 'memory=8GiB' or 'link=10GB/s'");
  }
  StatusOr<Machine> changed = Machine::Create(std::move(devices), std::move(links));
  if (!changed.ok()) return Refuse(change, changed.status().message());
  return changed;
}

}  // namespace cli
}  // namespace warpbeam
