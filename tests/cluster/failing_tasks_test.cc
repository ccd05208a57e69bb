// What clients see of tasks of a cluster that start late or stop in order, and what is left of
// clients that come and go, with servers that are processes of their own. The rows of the table in
// docs/cluster.md are tests of their own.
#include "tests/cluster/failing_cluster.h"

namespace warpbeam {
namespace frontend {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class FailingTasksTest : public FailingCluster {};

TEST_F(FailingTasksTest, ASessionWaitsForATaskThatStartsLateAndSaysForWhich) {
  ASSERT_TRUE(chief_.server.Start()) << chief_.server.Log();
  ASSERT_TRUE(worker_.server.Start()) << worker_.server.Log();
  std::future<Status> opened = std::async(std::launch::async, [&] {
    ClusterClient client(chief_.address);
    return client.Open(Model("chief"));
  });
  while (opened.wait_for(milliseconds(10)) != std::future_status::ready &&
         chief_.server.Log().find("a new session waits for ") == std::string::npos) {
  }
  EXPECT_THAT(chief_.server.Log(), AllOf(HasSubstr("waits for /job:ps/replica:0/task:0"),
                                         Not(HasSubstr("/job:worker/replica:0/task:0"))));
  ASSERT_TRUE(ps_.server.Start()) << ps_.server.Log();
  const Status status = opened.get();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(FailingTasksTest, AServerStopsSoonWhileOthersWaitForItAndItsPortIsFree) {
  StartAll();
  const auto client = Open(chief_);
  int exit_status = -1;
  const auto [status, took] = WaitWhile(*client, [&] { exit_status = ps_.server.Stop(5000); });
  EXPECT_EQ(exit_status, 0) << ps_.server.Log();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
  EXPECT_LT(took, 5);
  ASSERT_TRUE(ps_.server.Start()) << ps_.server.Log();
}

TEST_F(FailingTasksTest, AServerWhoseSessionWaitsForATaskStopsAllTheSame) {
  ASSERT_TRUE(chief_.server.Start()) << chief_.server.Log();
  std::future<Status> opened = std::async(std::launch::async, [&] {
    ClusterClient client(chief_.address);
    return client.Open(Model("chief"));
  });
  while (opened.wait_for(milliseconds(10)) != std::future_status::ready &&
         chief_.server.Log().find("a new session waits for ") == std::string::npos) {
  }
  const auto before = Clock::now();
  EXPECT_EQ(chief_.server.Stop(5000), 0) << chief_.server.Log();
  EXPECT_LT(Clock::now() - before, milliseconds(5000));
  EXPECT_EQ(opened.get().code(), StatusCode::kUnavailable);
}

// Clients that go, whatever way they go, leave nothing behind.
TEST_F(FailingTasksTest, SessionsThatComeAndGoLeaveNeitherThreadsNorFiles) {
  StartAll();
  const auto visit = [&] {
    const auto client = Open(chief_);
    ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
    ExpectRuns(*client, "read:0", 1);
  };
  for (int i = 0; i < 5; ++i) visit();
  const int files = ps_.server.Files(), threads = ps_.server.Threads();
  for (int i = 0; i < 30; ++i) visit();
  EXPECT_LE(ps_.server.Files(), files + 2);
  EXPECT_LE(ps_.server.Threads(), threads + 4);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
