// warpbeam devices: the devices that a session of this machine has.
#include <algorithm>

#include "absl/strings/str_format.h"
#include "runtime/device/local/device_set.h"
#include "runtime/session/session.h"
#include "tools/cli/command.h"
#include "tools/cli/device_counts.h"

namespace warpbeam {
namespace cli {
namespace {

std::string Memory(int64_t bytes) {
  constexpr double kMiB = 1 << 20;
  const double mib = static_cast<double>(bytes) / kMiB;
  return mib < 10240 ? absl::StrFormat("%.0f MiB", mib) : absl::StrFormat("%.0f GiB", mib / 1024);
}

Status List(const SessionOptions& options, Console& console) {
  WB_ASSIGN_OR_RETURN(const std::shared_ptr<DeviceSet> devices, CreateDevices(options));
  for (int i = 0; i < devices->size(); ++i) {
    const Device& device = *devices->device(i);
    console.out << absl::StrFormat("%-44s %10s  %s\n", device.name().ToString(),
                                   Memory(device.memory_limit()), device.Description());
  }
  return OkStatus();
}

}  // namespace

StatusOr<Outcome> ListDevices(const std::vector<std::string>& words, Console& console) {
  Arguments args("warpbeam devices [--flags]",
                 "Lists the devices that a session has: name, memory, what it is.");
  std::string devices;
  SessionOptions options;
  args.String("devices", &devices, kDevicesHelp);
  args.Int("cpu_devices", &options.cpu_devices, "CPU devices that share the machine's cores");
  args.Int("simulated_gpus", &options.simulated_gpus, "GPUs played by the CPU");
  bool help = false;
  WB_RETURN_IF_ERROR(ParseWords(args, words, console, &help));
  if (help) return Outcome::kHelp;
  WB_RETURN_IF_ERROR(OnlyFlags(args));
  WB_ASSIGN_OR_RETURN(const DeviceCounts counts, ParseDeviceCounts(devices));
  WB_RETURN_IF_ERROR(counts.ApplyTo(&options));
  WB_RETURN_IF_ERROR(List(options, console));
  return Outcome::kRan;
}

}  // namespace cli
}  // namespace warpbeam
