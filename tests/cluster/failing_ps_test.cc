// What clients see when the ps of their cluster is killed, stopped, slow, or started anew: a row of
// the table in docs/cluster.md.
#include "tests/cluster/failing_cluster.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FailingPsTest : public FailingCluster {};

TEST_F(FailingPsTest, AKilledPsIsKnownAtOnceAndOthersGoOn) {
  StartAll();
  const auto client = Open(chief_);
  const auto other = Open(worker_);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ExpectRuns(*client, "read:0", 1);
  const auto [status, took] = WaitWhile(*client, [&] { ps_.server.Kill(); });
  ExpectPsIsMissed(status);
  EXPECT_LT(took, kKilledSeconds);
  ExpectRuns(*client, "here:0", 9);
  ExpectRuns(*other, "here:0", 9);
  ExpectPsIsMissed(other->Run({}, "read:0").status());
}

TEST_F(FailingPsTest, AStoppedPsIsKnownWithinSecondsAndMayComeBack) {
  StartAll();
  const auto client = Open(chief_);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  const auto [status, took] = WaitWhile(*client, [&] { ps_.server.Signal(SIGSTOP); });
  ExpectPsIsMissed(status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("silent"));
  EXPECT_LT(took, kSilentSeconds);
  ExpectRuns(*client, "here:0", 9);
  ps_.server.Signal(SIGCONT);
  ExpectRuns(*client, "read:0", 1);
}

TEST_F(FailingPsTest, ASlowPsIsWaitedFor) {
  StartAll();
  const auto client = Open(chief_);
  const auto other = Open(worker_);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  const auto before = Clock::now();
  int steps = 0;
  {
    const Slowed slowed(&ps_.server);
    // Longer than a silent one would be waited for.
    for (; SecondsSince(before) < 7; steps += 2) {
      ExpectAdds(*client, 1);
      ExpectAdds(*other, 1);
      ExpectRuns(*other, "here:0", 9);
    }
  }
  ExpectRuns(*client, "read:0", static_cast<float>((steps + 1) * (steps + 1)));
}

TEST_F(FailingPsTest, ARestartedPsHasLostItsVariablesAndANewSessionFindsThatOut) {
  StartAll();
  auto client = Open(chief_);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ExpectAdds(*client, 1);
  ps_.server.Kill();
  ASSERT_TRUE(ps_.server.Start()) << ps_.server.Log();
  // The session was of the ps that is gone.
  const Status lost = client->Run({}, "read:0").status();
  EXPECT_TRUE(IsAborted(lost) || IsUnavailable(lost)) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr("/job:ps/replica:0/task:0"));
  client = Open(chief_);
  const Status empty = client->Run({}, "read:0").status();
  EXPECT_EQ(empty.code(), StatusCode::kFailedPrecondition) << empty;
  EXPECT_THAT(std::string(empty.message()), AllOf(HasSubstr("uninitialized"), HasSubstr("v")));
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ExpectRuns(*client, "read:0", 1);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
