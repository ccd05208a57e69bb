// What clients see when a chief or a worker of their cluster is killed, stopped, slow, or started
// anew: two rows of the table in docs/cluster.md, which say the same.
#include "tests/cluster/failing_cluster.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::HasSubstr;

class FailingWorkerTest : public FailingCluster, public ::testing::WithParamInterface<const char*> {
 protected:
  bool IsChief() const { return std::string(GetParam()) == "chief"; }
  // The one that something happens to, and the one that is to notice nothing.
  Task& failing() { return IsChief() ? chief_ : worker_; }
  Task& other() { return IsChief() ? worker_ : chief_; }
};

TEST_P(FailingWorkerTest, KilledItEndsItsOwnClientsCallsAndNobodyElses) {
  StartAll();
  auto gone = Open(failing());
  const auto stays = Open(other());
  const auto fills = Open(other());
  ASSERT_TRUE(stays->Run({}, "", {"init"}).ok());
  const auto [status, took] = WaitWhile(*gone, [&] { failing().server.Kill(); });
  ExpectMissed(status, failing().address);
  EXPECT_LT(took, kKilledSeconds);
  ExpectAdds(*stays, 20);
  ExpectRuns(*stays, "read:0", 21 * 21);
  // What it ran on the ps has gone with it: it takes nothing that is meant for others.
  const auto [waited, since] =
      WaitWhile(*stays, [&] { EXPECT_TRUE(fills->Run({}, "", {"fill"}).ok()) << "filling"; });
  EXPECT_TRUE(waited.ok()) << waited;
  EXPECT_LT(since, 20);
}

TEST_P(FailingWorkerTest, StoppedItIsKnownToItsClientsWithinSecondsAndMayComeBack) {
  StartAll();
  const auto client = Open(failing());
  const auto stays = Open(other());
  ASSERT_TRUE(stays->Run({}, "", {"init"}).ok());
  const auto [status, took] = WaitWhile(*client, [&] { failing().server.Signal(SIGSTOP); });
  ExpectMissed(status, failing().address);
  EXPECT_THAT(std::string(status.message()), HasSubstr("silent"));
  EXPECT_LT(took, kSilentSeconds);
  const auto before = Clock::now();
  ExpectAdds(*stays, 20);
  EXPECT_LT(SecondsSince(before), 10);
  failing().server.Signal(SIGCONT);
  ExpectRuns(*client, "read:0", 21 * 21);
}

TEST_P(FailingWorkerTest, SlowItIsWaitedForByItsOwnClientsAlone) {
  StartAll();
  const auto client = Open(failing());
  const auto stays = Open(other());
  ASSERT_TRUE(stays->Run({}, "", {"init"}).ok());
  int steps = 0;
  {
    const Slowed slowed(&failing().server);
    const auto before = Clock::now();
    for (; SecondsSince(before) < 7; ++steps) ExpectAdds(*client, 1);
    const auto others = Clock::now();
    ExpectAdds(*stays, 50);
    EXPECT_LT(SecondsSince(others), 10);
  }
  ExpectRuns(*client, "read:0", static_cast<float>((steps + 51) * (steps + 51)));
}

TEST_P(FailingWorkerTest, RestartedItKnowsNoSessionAndFindsTheVariablesAsTheyAre) {
  StartAll();
  auto client = Open(failing());
  const auto stays = Open(other());
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ExpectAdds(*client, 1);
  failing().server.Kill();
  ASSERT_TRUE(failing().server.Start()) << failing().server.Log();
  const auto lost = [&] { return client->Run({}, "here:0").status(); };
  Status status = lost();
  for (int i = 0; i < 100 && IsUnavailable(status); ++i) status = lost();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  ExpectRuns(*stays, "read:0", 4);
  client = Open(failing());
  ExpectRuns(*client, "read:0", 4);
}

INSTANTIATE_TEST_SUITE_P(Jobs, FailingWorkerTest, ::testing::Values("chief", "worker"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
