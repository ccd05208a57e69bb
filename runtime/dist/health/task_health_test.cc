#include "runtime/dist/health/task_health.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using State = TaskHealth::State;

class TaskHealthTest : public ::testing::Test {
 protected:
  TaskHealth::Time At(int ms) const { return start_ + milliseconds(ms); }
  const TaskHealth::Time start_ = TaskHealth::Time() + std::chrono::hours(1);
  TaskHealth health_{"/job:ps/replica:0/task:0", "ps:2222"};
};

TEST_F(TaskHealthTest, SilenceMakesATaskSuspectAndThenDead) {
  health_.Watch(At(0));
  EXPECT_EQ(health_.state(At(0)), State::kAlive);
  EXPECT_EQ(health_.state(At(2499)), State::kAlive);
  EXPECT_EQ(health_.state(At(2500)), State::kSuspect);
  EXPECT_TRUE(health_.Check(At(4499)).ok());
  EXPECT_EQ(health_.state(At(4500)), State::kDead);
  const Status dead = health_.Check(At(4500));
  EXPECT_TRUE(IsUnavailable(dead));
  EXPECT_THAT(std::string(dead.message()), AllOf(HasSubstr("/job:ps/replica:0/task:0 at ps:2222"),
                                                 HasSubstr("4.5 s"), HasSubstr("never answered")));
}

TEST_F(TaskHealthTest, AnAnswerMakesItAliveAgain) {
  health_.Watch(At(0));
  health_.Answered(At(1000));
  EXPECT_EQ(health_.state(At(5499)), State::kSuspect);
  EXPECT_EQ(health_.state(At(5500)), State::kDead);
  EXPECT_THAT(std::string(health_.Check(At(6000)).message()),
              HasSubstr("last answer came 5.0 s ago"));
  health_.Answered(At(6100));
  EXPECT_EQ(health_.state(At(6100)), State::kAlive);
}

TEST_F(TaskHealthTest, ARefusingPortIsADeadTaskAtOnce) {
  health_.Watch(At(0));
  health_.Answered(At(100));
  health_.Refused(Unavailable("connection refused"));
  EXPECT_EQ(health_.state(At(200)), State::kDead);
  EXPECT_THAT(std::string(health_.Check(At(200)).message()),
              AllOf(HasSubstr("connection refused"), HasSubstr("0.1 s ago")));
  health_.Answered(At(300));
  EXPECT_EQ(health_.state(At(300)), State::kAlive);
}

// A task that nobody asked for an hour has not been silent for an hour.
TEST_F(TaskHealthTest, SilenceCountsFromWhenSomebodyWaits) {
  health_.Watch(At(0));
  health_.Answered(At(10));
  health_.Watch(At(3600000));
  EXPECT_EQ(health_.state(At(3600000)), State::kAlive);
  EXPECT_EQ(health_.state(At(3604500)), State::kDead);
}

}  // namespace
}  // namespace warpbeam
