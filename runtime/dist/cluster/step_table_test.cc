#include "runtime/dist/cluster/step_table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/cluster/worker_peer.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class StepTableTest : public ::testing::Test {
 protected:
  StepTable steps_{std::make_shared<const TaskIdentity>(TaskIdentity{
      "worker", 0, "/job:worker/replica:0/task:0", std::make_shared<PeerDirectory>(), ""})};
};

TEST_F(StepTableTest, AStepIsMadeByWhoeverAsksFirst) {
  const auto first = steps_.Get(7);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*steps_.Get(7), *first);
  EXPECT_THAT(steps_.Ids(), ::testing::ElementsAre(7));
}

TEST_F(StepTableTest, AStepThatHasEndedSaysWhy) {
  const auto step = steps_.Get(7);
  ASSERT_TRUE(step.ok());
  steps_.End(7, Aborted("the master has gone"));
  EXPECT_EQ(steps_.size(), 0);
  const Status again = steps_.Get(7).status();
  EXPECT_EQ(again.code(), StatusCode::kAborted);
  EXPECT_THAT(std::string(again.message()), HasSubstr("/task:0: the master has gone"));
  steps_.End(7, Aborted("another reason"));
  EXPECT_THAT(std::string(steps_.Get(7).status().message()), HasSubstr("the master has gone"));
}

TEST_F(StepTableTest, AnEndLetsGoOfWhatWaits) {
  const auto step = steps_.Get(7);
  ASSERT_TRUE(step.ok());
  Status got;
  (*step)->ReceiveHere("key", [&](StatusOr<Rendezvous::Value> value) { got = value.status(); });
  steps_.End(7, Aborted("the master has gone"));
  EXPECT_THAT(std::string(got.message()), HasSubstr("the master has gone"));
}

// Another task of a step may ask for what it sends before this one has begun with it, which with a
// counted number is after the end of the step that had the number before.
TEST_F(StepTableTest, ACountedNumberIsFreeOnceItsMasterHasCleanedUp) {
  steps_.Reopen(7);
  const auto first = steps_.Get(7);
  ASSERT_TRUE(first.ok());
  for (int i = 0; i < 2; ++i) steps_.CleanUp(7, Aborted("Cleanup 7"));
  const auto second = steps_.Get(7);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_NE(*second, *first);
  steps_.Reopen(7);
  EXPECT_EQ(*steps_.Get(7), *second);
  // Who still asks for what a step would have sent that has failed here is told.
  steps_.End(7, Cancelled("the client has gone"));
  EXPECT_THAT(std::string(steps_.Get(7).status().message()), HasSubstr("the client has gone"));
  steps_.CleanUp(7, Aborted("Cleanup 7"));
  EXPECT_TRUE(steps_.Get(7).ok());
}

TEST_F(StepTableTest, AnotherNumberIsOverWhenItsMasterCleansUp) {
  ASSERT_TRUE(steps_.Get(7).ok());
  steps_.CleanUp(7, Aborted("Cleanup 7"));
  EXPECT_FALSE(steps_.Get(7).ok());
}

TEST_F(StepTableTest, AStepThatHasEndedIsOpenedAgain) {
  steps_.End(7, Aborted("Cleanup 7"));
  EXPECT_FALSE(steps_.Get(7).ok());
  steps_.Reopen(7);
  EXPECT_TRUE(steps_.Get(7).ok());
}

TEST_F(StepTableTest, ItRemembersSoManyEnds) {
  for (int64_t id = 1; id <= 10001; ++id) steps_.End(id, Aborted("ended"));
  EXPECT_TRUE(steps_.Get(1).ok());
  EXPECT_FALSE(steps_.Get(2).ok());
  EXPECT_FALSE(steps_.Get(10001).ok());
}

}  // namespace
}  // namespace warpbeam
