// The public cases: each one passes, or stands in failing.txt and fails; both lists are exact.
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/conformance/case_ops.h"
#include "tests/conformance/case_runner.h"
#include "tests/conformance/expectations.h"

namespace warpbeam {
namespace {

constexpr char kFolder[] = "tests/conformance/";
constexpr char kHowToWrite[] = "\nIf this is meant, run: bazel run //tools/op_lists";
constexpr size_t kSlices = 64;

// So many public cases pass at least.
constexpr size_t kPassingCases = 1000;

const std::vector<CaseBytes>& AllCases() {
  static const std::vector<CaseBytes>* cases = [] {
    auto loaded = LoadCases({std::string(kFolder) + "cases"});
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return new std::vector<CaseBytes>(*std::move(loaded));
  }();
  return *cases;
}

const std::map<std::string, std::string>& Failing() {
  static const std::map<std::string, std::string>* failing = [] {
    auto read = ReadFailing(std::string(kFolder) + kFailingFile);
    EXPECT_TRUE(read.ok()) << read.status();
    return new std::map<std::string, std::string>(*std::move(read));
  }();
  return *failing;
}

std::string RunOne(const CaseBytes& c) {
  return absl::StrJoin(RunCase(c.wire_form, CaseOptions()), "\n    ");
}

// Every 64th case, so that Bazel's shards get equal work.
class PublicCasesTest : public ::testing::TestWithParam<size_t> {};

TEST_P(PublicCasesTest, PassOrStandInFailing) {
  std::vector<CaseBytes> slice;
  for (size_t i = GetParam(); i < AllCases().size(); i += kSlices) slice.push_back(AllCases()[i]);
  ForkOptions options;
  options.jobs = 1;
  for (const CaseResult& result : RunForked(slice, RunOne, options)) {
    const bool known_to_fail = Failing().count(result.name) > 0;
    if (result.passed()) {
      EXPECT_FALSE(known_to_fail) << result.name << " passes now, yet stands in failing.txt."
                                  << kHowToWrite;
    } else {
      EXPECT_TRUE(known_to_fail) << result.name << ": " << result.difference;
    }
  }
}

std::string RunOneWithGpu(const CaseBytes& c) {
  CaseOptions options;
  options.simulated_gpus = 1;
  return absl::StrJoin(RunCase(c.wire_form, options), "\n    ");
}

// Whether a case expects what is true only of a machine without a GPU.
bool ExpectsNoGpu(const std::string& name) {
  return absl::StartsWith(name, "placement/") || name == "errors/device_missing_gpu";
}

// What has a GPU kernel goes to the GPU, and nothing else changes.
TEST_P(PublicCasesTest, PassWithASimulatedGpu) {
  std::vector<CaseBytes> slice;
  for (size_t i = GetParam(); i < AllCases().size(); i += kSlices) {
    const CaseBytes& c = AllCases()[i];
    if (Failing().count(c.name) == 0 && !ExpectsNoGpu(c.name)) slice.push_back(c);
  }
  ForkOptions options;
  options.jobs = 1;
  for (const CaseResult& result : RunForked(slice, RunOneWithGpu, options)) {
    EXPECT_TRUE(result.passed()) << result.name << ": " << result.difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Slices, PublicCasesTest, ::testing::Range(size_t{0}, kSlices));

TEST(ConformanceListsTest, FailingNamesCasesAndWhatTheyLack) {
  std::map<std::string, std::string> missing;
  for (const CaseBytes& c : AllCases()) missing[c.name] = MissingColumn(c);
  for (const auto& [name, column] : Failing()) {
    ASSERT_EQ(missing.count(name), 1u) << name << " is no public case." << kHowToWrite;
    EXPECT_EQ(column, missing[name]) << name << kHowToWrite;
  }
}

TEST(ConformanceListsTest, SupportedOpsAreThoseWithKernels) {
  const auto listed = ReadLines(std::string(kFolder) + kSupportedOpsFile);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(*listed, SupportedOps()) << kHowToWrite;
}

TEST(ConformanceListsTest, EnoughCasesPass) {
  EXPECT_GE(AllCases().size() - Failing().size(), kPassingCases);
}

}  // namespace
}  // namespace warpbeam
