#include "runtime/dist/cluster/long_steps.h"

#include <atomic>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LongStepsTest : public ::testing::Test {
 protected:
  LongSteps::Source Source() {
    return {[this] { return at_work_; }, [this](int64_t) { return words_; }};
  }
  std::vector<std::string> LookAt(int second) {
    return watch_.Look(LongSteps::Time() + seconds(1000 + second));
  }
  std::vector<int64_t> at_work_;
  std::vector<std::string> words_ = {"node 'taken' (QueueDequeueV2)", "receiving 'x'"};
  LongSteps watch_{Source(), seconds(60), nullptr};
};

TEST_F(LongStepsTest, AStepSaysWhatItWaitsForAfterAMinuteAndThenEveryTen) {
  at_work_ = {7};
  EXPECT_THAT(LookAt(0), IsEmpty());
  EXPECT_THAT(LookAt(59), IsEmpty());
  EXPECT_THAT(LookAt(60), ElementsAre("step 7 has run for 60 s; it is at: node 'taken' "
                                      "(QueueDequeueV2); receiving 'x'"));
  EXPECT_THAT(LookAt(70), IsEmpty());
  EXPECT_THAT(LookAt(659), IsEmpty());
  EXPECT_THAT(LookAt(661), ElementsAre(HasSubstr("step 7 has run for 661 s")));
}

TEST_F(LongStepsTest, StepsThatEndSayNothing) {
  for (int second = 0; second < 600; second += 10) {
    at_work_ = {second / 30 + 1};
    EXPECT_THAT(LookAt(second), IsEmpty()) << second;
  }
  // One that ends between the two questions.
  at_work_ = {99};
  LookAt(1000);
  words_.clear();
  EXPECT_THAT(LookAt(1060), IsEmpty());
}

TEST_F(LongStepsTest, ManyAreCounted) {
  for (int64_t id = 1; id <= 1000; ++id) at_work_.push_back(id);
  words_.assign(1000, "node");
  LookAt(0);
  const std::vector<std::string> lines = LookAt(60);
  ASSERT_EQ(lines.size(), 21u);
  EXPECT_THAT(lines[0], HasSubstr("992 more"));
  EXPECT_EQ(lines.back(), "980 more steps have run for as long");
}

TEST_F(LongStepsTest, LooksByItself) {
  at_work_ = {7};
  std::atomic<int> lines{0};
  {
    const LongSteps watch(Source(), std::chrono::milliseconds(20),
                          [&](const std::string&) { ++lines; });
    while (lines == 0) std::this_thread::yield();
  }
  EXPECT_GE(lines, 1);
}

}  // namespace
}  // namespace warpbeam
