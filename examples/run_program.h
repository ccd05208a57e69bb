// Runs an example as a user runs it; for the tests.
//
//   const Outcome run = RunProgram("hello --simulated_gpus=1");
//   EXPECT_EQ(run.exit_code, 0) << run.output;
//
// Programs are those beside the test, with the repository's root as their folder. Thread safety:
// any. Errors: an exit code of -1 where no program could be started.
#ifndef WARPBEAM_EXAMPLES_RUN_PROGRAM_H_
#define WARPBEAM_EXAMPLES_RUN_PROGRAM_H_

#include <string>

namespace warpbeam {
namespace examples {

struct Outcome {
  int exit_code = -1;
  std::string output;  // stdout and stderr
};

Outcome RunProgram(const std::string& command);

// A file or folder of the test's own.
std::string TempPath(const std::string& name);
// The shipped digits ("train" or "test") as a TFRecord file; made once.
std::string DigitsFile(const std::string& split);

}  // namespace examples
}  // namespace warpbeam

#endif  // WARPBEAM_EXAMPLES_RUN_PROGRAM_H_
