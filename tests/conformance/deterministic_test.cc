// Public cases in deterministic sessions: they pass, with the same bits whatever the threads and
// the schedule, or are refused by name.
//
// A failure names its case; `runner --deterministic --stress_seed=N CASE` runs it again.
#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/conformance/case_runner.h"
#include "tests/conformance/expectations.h"

namespace warpbeam {
namespace {

constexpr char kFolder[] = "tests/conformance/";
constexpr const char* kFamilies[] = {"control/", "dataset/", "gradients/", "optimizer/", "program/",
                                     "queue/",   "random/",  "refs/",      "state/"};
constexpr size_t kCases = 300;
// The unseeded ones of random/, sizes of queues, queues that shuffle.
constexpr size_t kMostRefused = 45;

TEST(DeterministicTest, CasesPassOrAreRefused) {
  const auto cases = PassingCases(kFolder, [](absl::string_view name) {
    return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                       [&](const char* family) { return absl::StartsWith(name, family); });
  });
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_GE(cases->size(), kCases);
  CaseOptions options;
  options.deterministic = true;
  options.stress_seed = 6;
  const auto run = [&](const CaseBytes& c) {
    return absl::StrJoin(RunCase(c.wire_form, options), "\n    ");
  };
  ForkOptions forks;
  forks.jobs = 2;
  size_t refused = 0;
  for (const CaseResult& result : RunForked(*cases, run, forks)) {
    if (!result.passed() && IsRefused(result.difference)) {
      ++refused;
      continue;
    }
    EXPECT_TRUE(result.passed()) << result.name << ": " << result.difference;
  }
  EXPECT_LE(refused, kMostRefused);
}

}  // namespace
}  // namespace warpbeam
