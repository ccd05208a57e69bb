#include "examples/session_flags.h"

#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/match.h"

ABSL_FLAG(int, simulated_gpus, 0, "number of GPUs to simulate on the CPU: /gpu:0, /gpu:1, ...");
ABSL_FLAG(bool, log_device_placement, false, "print where every node runs");
ABSL_FLAG(bool, deterministic, false,
          "the same bits in every run, for any number of threads; refuses what cannot promise it");
ABSL_FLAG(std::string, timeline, "", "file for a trace of the last step, for chrome://tracing");

namespace warpbeam {
namespace examples {

void ParseFlags(const std::string& purpose, int argc, char** argv) {
  absl::FlagsUsageConfig config;
  // Not those of libraries.
  config.contains_help_flags = [](absl::string_view file) {
    return absl::StrContains(file, "examples/");
  };
  absl::SetFlagsUsageConfig(config);
  absl::SetProgramUsageMessage(purpose);
  absl::ParseCommandLine(argc, argv);
}

frontend::SessionConfig SessionConfigFromFlags() {
  frontend::SessionConfig config;
  config.allow_soft_placement = true;
  config.simulated_gpus = absl::GetFlag(FLAGS_simulated_gpus);
  config.deterministic = absl::GetFlag(FLAGS_deterministic);
  config.log_device_placement = absl::GetFlag(FLAGS_log_device_placement);
  return config;
}

int ExitCode(const frontend::Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

}  // namespace examples
}  // namespace warpbeam
