#include "examples/run_program.h"

#include <sys/wait.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace examples {

Outcome RunProgram(const std::string& command) {
  Outcome outcome;
  std::FILE* pipe = popen(absl::StrCat("examples/", command, " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    outcome.output.append(buffer, got);
  }
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

std::string TempPath(const std::string& name) { return testing::TempDir() + "/" + name; }

std::string DigitsFile(const std::string& split) {
  const std::string path = TempPath(split + ".tfrecord");
  if (std::ifstream(path).good()) return path;
  const Outcome made = RunProgram(
      absl::StrCat("create_tfrecord --data_dir=examples/data --split=", split, " --output=", path));
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_NE(made.output.find(split == "train" ? "4000 examples" : "1000 examples"),
            std::string::npos)
      << made.output;
  return path;
}

}  // namespace examples
}  // namespace warpbeam
