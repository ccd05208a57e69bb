// Public cases cut over two tasks: each node runs on one of them as a seed says, loops and branches
// go back and forth between them, and the values are those of one task.
//
// A failure names its case; `runner --tasks=2 --scatter_seed=N CASE` runs it again.
#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/conformance/expectations.h"

namespace warpbeam {
namespace {

constexpr char kFolder[] = "tests/conformance/";
// Those say where nodes are placed on one task, or ask for devices that are not there.
constexpr const char* kLeftOut[] = {"placement/", "errors/bad_device", "errors/device_missing"};
constexpr size_t kCases = 2200;

void ExpectPasses(const CaseOptions& options) {
  const auto is_wanted = [](absl::string_view name) {
    return std::none_of(std::begin(kLeftOut), std::end(kLeftOut),
                        [&](const char* family) { return absl::StartsWith(name, family); });
  };
  const auto results = RunPassingCases(kFolder, is_wanted, options);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_GE(results->size(), kCases);
  for (const CaseResult& result : *results) {
    EXPECT_TRUE(result.passed()) << result.name << ": " << result.difference;
  }
}

TEST(TasksTest, CasesPassOverTwoTasks) {
  CaseOptions options;
  options.tasks = 2;
  options.scatter_seed = 1;
  ExpectPasses(options);
}

// Each task reads its part from a message and receives tensors by messages, as in a cluster.
TEST(TasksTest, CasesPassOverTwoTasksByMessages) {
  CaseOptions options;
  options.tasks = 2;
  options.scatter_seed = 3;
  options.by_messages = true;
  ExpectPasses(options);
}

TEST(TasksTest, CasesPassOverThreeTasksWithGpusWithoutPasses) {
  CaseOptions options;
  options.tasks = 3;
  options.scatter_seed = 2;
  options.simulated_gpus = 1;
  options.gpus_enqueue = true;
  options.passes = "none";
  ExpectPasses(options);
}

}  // namespace
}  // namespace warpbeam
