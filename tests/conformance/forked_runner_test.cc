#include "tests/conformance/forked_runner.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

std::vector<CaseBytes> Cases(const std::vector<std::string>& names) {
  std::vector<CaseBytes> cases;
  for (const std::string& name : names) cases.push_back({name, ""});
  return cases;
}

// Passes, fails, dies or hangs as its name says.
std::string Behave(const CaseBytes& c) {
  if (c.name.find("fail") == 0) return "differs:\n" + c.name;
  if (c.name.find("abort") == 0) {
    signal(SIGABRT, SIG_DFL);
    abort();
  }
  if (c.name.find("exit") == 0) _exit(7);
  if (c.name.find("hang") == 0) pause();
  return "";
}

TEST(RunForkedTest, ResultsComeInTheCasesOrder) {
  ForkOptions options;
  options.cases_per_child = 2;
  options.jobs = 2;
  int reported = 0;
  options.on_result = [&](const CaseResult&) { ++reported; };
  const auto results = RunForked(Cases({"a", "fail b", "c", "d", "fail e"}), Behave, options);
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(reported, 5);
  EXPECT_TRUE(results[0].passed());
  EXPECT_EQ(results[1].difference, "differs:\nfail b");
  EXPECT_TRUE(results[2].passed());
  EXPECT_TRUE(results[3].passed());
  EXPECT_EQ(results[4].difference, "differs:\nfail e");
}

TEST(RunForkedTest, ACrashIsOneCasesFailure) {
  const auto results = RunForked(Cases({"a", "abort", "b", "exit", "c"}), Behave, {});
  EXPECT_TRUE(results[0].passed());
  EXPECT_THAT(results[1].difference, HasSubstr("crashed: signal 6"));
  EXPECT_TRUE(results[2].passed());
  EXPECT_THAT(results[3].difference, HasSubstr("ended with status 7"));
  EXPECT_TRUE(results[4].passed());
}

TEST(RunForkedTest, AHangIsOneCasesFailure) {
  ForkOptions options;
  options.case_timeout_ms = 300;
  const auto results = RunForked(Cases({"a", "hang", "b"}), Behave, options);
  EXPECT_TRUE(results[0].passed());
  EXPECT_EQ(results[1].difference, "took more than 300 ms");
  EXPECT_TRUE(results[2].passed());
}

}  // namespace
}  // namespace warpbeam
