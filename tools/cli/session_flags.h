// The flags that say how a graph is run, shared by the commands that run one.
//
//   SessionFlags flags;
//   flags.AddTo(args);
//   WB_ASSIGN_OR_RETURN(SessionOptions options, flags.Options(console));
//
// Thread safety: none. Errors: INVALID_ARGUMENT for what `allow`, `devices`, `admit`, a memory or
// `simulated_gpu_kernels` cannot be, those of SetFileRoot; Session::Create refuses what else does
// not fit.
#ifndef WARPBEAM_TOOLS_CLI_SESSION_FLAGS_H_
#define WARPBEAM_TOOLS_CLI_SESSION_FLAGS_H_

#include <string>

#include "runtime/session/session.h"
#include "tools/cli/command.h"
#include "tools/cli/fallback_flags.h"
#include "tools/cli/import_flags.h"

namespace warpbeam {
namespace cli {

struct SessionFlags {
  ImportFlags import;
  std::string devices;
  int cpu_devices = 1;
  int simulated_gpus = 0;
  std::string simulated_gpu_kernels = "host";
  int inter = 0;
  int intra = 0;
  bool lend_threads = true;
  bool cuda_blocking = false;
  bool tensor_float_32 = true;
  std::string gpu_plan_file;
  std::string visible_gpus;
  int gpu_parts = 0;
  FallbackFlags fallbacks;
  bool log_device_placement = false;
  bool deterministic = false;
  // A graph from elsewhere may read files, such as its own variables, and no more than that.
  std::string allow = "read";
  std::string file_root;
  std::string passes = "default";
  std::string dump_graphs;
  std::string cost_profile;
  std::string admit = "all";
  std::string host_memory_limit;
  std::string simulated_gpu_memory;

  void AddTo(Arguments& args);
  // Sets the process's file root. The console must outlive the session where placements are logged.
  StatusOr<SessionOptions> Options(Console& console) const;
};

}  // namespace cli
}  // namespace warpbeam

#endif  // WARPBEAM_TOOLS_CLI_SESSION_FLAGS_H_
