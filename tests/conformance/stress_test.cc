// Public cases under perturbed schedules: whatever order nodes run in, results stay as they were.
//
// A failure names its case and seed; `runner --stress_seed=N CASE` runs it again.
#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/conformance/expectations.h"

namespace warpbeam {
namespace {

constexpr char kFolder[] = "tests/conformance/";
constexpr const char* kFamilies[] = {"control/", "queue/", "program/", "refs/"};
// So many cases of these families pass at least.
constexpr size_t kCases = 100;

bool IsStressed(absl::string_view name) {
  return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](const char* family) { return absl::StartsWith(name, family); });
}

class StressTest : public ::testing::TestWithParam<uint64_t> {};

TEST_P(StressTest, CasesPassUnderPerturbedSchedules) {
  CaseOptions options;
  options.stress_seed = GetParam();
  // Every other seed has a GPU, whose streams are perturbed as well.
  options.simulated_gpus = GetParam() % 2 == 0 ? 1 : 0;
  const auto results = RunPassingCases(kFolder, IsStressed, options);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_GE(results->size(), kCases);
  for (const CaseResult& result : *results) {
    EXPECT_TRUE(result.passed()) << result.name << " with the seed " << GetParam() << ": "
                                 << result.difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StressTest, ::testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace warpbeam
