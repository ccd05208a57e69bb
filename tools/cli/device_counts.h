// How many devices of each type there are to be, as every command takes it: --devices=cpu:2,gpu:4.
//
//   WB_ASSIGN_OR_RETURN(DeviceCounts counts, ParseDeviceCounts("cpu:2,gpu:4"));
//   WB_RETURN_IF_ERROR(counts.ApplyTo(&session_options));   // of a session that runs here
//   std::vector<DeviceName> names = counts.Names();         // of devices that need not be there
//
// A number alone counts CPUs. What is not said is one CPU and, for a session, the machine's GPUs.
//
// Thread safety: values. Errors: wrong calls (tools/cli/command.h) for text that is none of this,
// for more than 4,096 devices of one type, or 1,024 in a session, and those of asking the driver
// how many GPUs there are.
#ifndef WARPBEAM_TOOLS_CLI_DEVICE_COUNTS_H_
#define WARPBEAM_TOOLS_CLI_DEVICE_COUNTS_H_

#include <optional>
#include <string>
#include <vector>

#include "placement/device_name.h"
#include "runtime/session/session.h"

namespace warpbeam {
namespace cli {

struct DeviceCounts {
  std::optional<int> cpus;
  std::optional<int> gpus;

  // One CPU at least: placement counts on it, for whatever has no other kernel.
  std::vector<DeviceName> Names() const;
  // Where the machine has not as many GPUs, simulated ones play all of them.
  Status ApplyTo(SessionOptions* options) const;
};

StatusOr<DeviceCounts> ParseDeviceCounts(const std::string& text);

// What help says of the flag.
inline constexpr char kDevicesHelp[] =
    "how many devices of each type, as in cpu:2,gpu:4; GPUs that are not there are played by the "
    "CPU";

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_DEVICE_COUNTS_H_
