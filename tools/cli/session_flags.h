// The flags that say how a graph is run, shared by the commands that run one.
//
//   SessionFlags flags;
//   flags.AddTo(args);
//   SessionOptions options = flags.Options(console);
//
// Thread safety: none. Errors: none of its own; Session::Create refuses what does not fit.
#ifndef WARPBEAM_TOOLS_CLI_SESSION_FLAGS_H_
#define WARPBEAM_TOOLS_CLI_SESSION_FLAGS_H_

#include <string>

#include "runtime/session/session.h"
#include "tools/cli/command.h"

namespace warpbeam {
namespace cli {

struct SessionFlags {
  int cpu_devices = 1;
  int simulated_gpus = 0;
  int inter = 0;
  int intra = 0;
  bool soft_placement = true;
  bool strict_placement = false;
  bool log_device_placement = false;
  std::string passes = "default";
  std::string dump_graphs;
  std::string cost_profile;

  void AddTo(Arguments& args);
  // The console must outlive the session where placements are logged.
  SessionOptions Options(Console& console) const;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SESSION_FLAGS_H_
