#include "tools/cli/device_counts.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "placement/cost/machine.h"
#include "runtime/device/gpu_platform.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {
namespace {

// Of one type: of devices that need not be there, and of a session, where each has threads.
constexpr int kMost = Machine::kMostDevices / 2;
constexpr int kMostOfASession = 1024;

bool ParseCount(const std::string& text, int* count) {
  return absl::SimpleAtoi(text, count) && *count >= 0 && *count <= kMost;
}

StatusOr<int> GpusOfThisMachine() {
  const GpuPlatform* const platform = RegisteredGpuPlatform();
  return platform == nullptr ? 0 : platform->count();
}

StatusOr<DeviceCounts> Parse(const std::string& text) {
  DeviceCounts counts;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(part, ':');
    int count = 0;
    if (words.size() == 1 && ParseCount(words[0], &count)) {
      counts.cpus = count;
      continue;
    }
    if (words.size() != 2 || !ParseCount(words[1], &count)) {
      return InvalidArgument("--devices=", text, ": '", part,
                             "' is not TYPE:NUMBER, as in cpu:1,gpu:4, of at most ", kMost,
                             " devices");
    }
    const std::string type = absl::AsciiStrToUpper(words[0]);
    if (type != "CPU" && type != "GPU") {
      return InvalidArgument("--devices=", text, ": there are devices of type cpu and gpu, not '",
                             words[0], "'");
    }
    (type == "CPU" ? counts.cpus : counts.gpus) = count;
  }
  return counts;
}

}  // namespace

std::vector<DeviceName> DeviceCounts::Names() const {
  std::vector<DeviceName> names;
  for (int i = 0; i < std::max(1, cpus.value_or(1)); ++i) {
    names.push_back(DeviceName::Local(DeviceType::kCpu, i));
  }
  for (int i = 0; i < gpus.value_or(0); ++i) {
    names.push_back(DeviceName::Local(DeviceType::kGpu, i));
  }
  return names;
}

Status DeviceCounts::ApplyTo(SessionOptions* options) const {
  const int most = std::max(cpus.value_or(0), gpus.value_or(0));
  if (most > kMostOfASession) {
    return WrongCall(InvalidArgument("--devices: a session has at most ", kMostOfASession,
                                     " devices of one type, not ", most));
  }
  if (cpus.has_value()) options->cpu_devices = std::max(1, *cpus);
  if (!gpus.has_value()) return OkStatus();
  WB_ASSIGN_OR_RETURN(const int there, GpusOfThisMachine());
  if (*gpus <= there) {
    options->gpus = *gpus;
  } else {
    options->simulated_gpus = *gpus;
  }
  return OkStatus();
}

StatusOr<DeviceCounts> ParseDeviceCounts(const std::string& text) {
  StatusOr<DeviceCounts> counts = Parse(text);
  if (!counts.ok()) return WrongCall(counts.status());
  return counts;
}

}  // namespace cli
}  // namespace warpbeam
