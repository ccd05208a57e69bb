// The command line flags that all examples have, and the session they describe.
//
//   --simulated_gpus=N       /gpu:0 … /gpu:N-1 without GPUs
//   --log_device_placement   a line per node to stderr: where it runs
//   --deterministic          the same bits in every run, where the graph has seeds
//   --timeline=FILE          a trace of the last step, for chrome://tracing
//
//   ParseFlags("A graph.\n\n  bazel run //examples:hello", argc, argv);
//   wb::ClientSession session(root, SessionConfigFromFlags());
//
// Thread safety: read-only once the command line is parsed. Errors: ParseFlags ends the program for
// a flag it does not know.
#ifndef WARPBEAM_EXAMPLES_SESSION_FLAGS_H_
#define WARPBEAM_EXAMPLES_SESSION_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "frontend/client_session.h"

ABSL_DECLARE_FLAG(int, simulated_gpus);
ABSL_DECLARE_FLAG(bool, log_device_placement);
ABSL_DECLARE_FLAG(bool, deterministic);
ABSL_DECLARE_FLAG(std::string, timeline);

namespace warpbeam {
namespace examples {

// Reads the flags. `--help` prints what the program is for, `purpose`, its flags and those that all
// examples have, and ends the program.
void ParseFlags(const std::string& purpose, int argc, char** argv);
// Soft placement is on: what has no GPU to run on, or no GPU kernel, runs on the CPU.
frontend::SessionConfig SessionConfigFromFlags();
// Whether a program's work ended well: prints the error, if any, and gives main's exit code.
int ExitCode(const frontend::Status& status);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_SESSION_FLAGS_H_
