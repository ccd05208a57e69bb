// What clients see when a task of their cluster is killed, stopped, started late or anew: each cell
// of the table in docs/cluster.md, with servers that are processes of their own. The times are the
// table's and a few seconds more, for machines that have other things to do.
#include <signal.h>

#include <chrono>
#include <future>
#include <thread>

#include "frontend/ops/data_flow_ops.h"
#include "frontend/ops/state_ops.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"
#include "tests/cluster/cluster_client.h"
#include "tests/cluster/server_process.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr char kPs[] = "/job:ps/task:0";

// A ps and two workers. Each worker has a client with the same graph: a variable on the ps, a step
// that waits on the ps, and a step of the worker alone.
class FailingTasksTest : public ::testing::Test {
 protected:
  FailingTasksTest() : FailingTasksTest(FreeAddresses(3)) {}
  explicit FailingTasksTest(const std::vector<std::string>& free)
      : ps_address_(free[0]),
        first_address_(free[1]),
        second_address_(free[2]),
        cluster_(absl::StrCat("--cluster=ps|", ps_address_, ",worker|", first_address_, ";",
                              second_address_)),
        ps_({cluster_, "--job=ps"}),
        first_({cluster_, "--job=worker", "--task=0"}),
        second_({cluster_, "--job=worker", "--task=1"}) {}

  void StartAll() {
    ASSERT_TRUE(ps_.Start()) << ps_.Log();
    ASSERT_TRUE(first_.Start()) << first_.Log();
    ASSERT_TRUE(second_.Start()) << second_.Log();
  }
  static Scope Model(int worker) {
    const Scope root = Scope::NewRoot().Device(absl::StrCat("/job:worker/task:", worker));
    const Scope ps = root.Device(kPs);
    const Variable v(ps.Named("v"), Constant(ps, 1.0f));
    Square(root.Named("read"), v.read());
    ops::AssignAdd(ps.Named("add"), v.ref(), Square(root, Constant(root, 1.0f)));
    const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
    Square(root.Named("wait"), ops::QueueDequeueV2(ps, queue, {DType::kFloat})[0]);
    Square(root.Named("here"), Constant(root, 3.0f));
    GlobalVariablesInitializer(root.Named("init"));
    return root;
  }
  static std::unique_ptr<ClusterClient> Open(const std::string& address, int worker) {
    auto client = std::make_unique<ClusterClient>(address);
    const absl::Status opened = client->Open(Model(worker));
    EXPECT_TRUE(opened.ok()) << opened;
    return client;
  }
  // What a step that waits on the ps says, and how long after `happens` it says so.
  static std::pair<absl::Status, double> WaitWhile(ClusterClient& client,
                                                   const std::function<void()>& happens) {
    std::future<absl::Status> ended =
        std::async(std::launch::async, [&] { return client.Run({}, "wait:0").status(); });
    std::this_thread::sleep_for(milliseconds(300));
    const auto before = Clock::now();
    happens();
    absl::Status status = ended.get();
    return {std::move(status), std::chrono::duration<double>(Clock::now() - before).count()};
  }
  static void ExpectRuns(ClusterClient& client, const std::string& fetch, float value) {
    const auto ran = client.Run({}, fetch);
    ASSERT_TRUE(ran.ok()) << ran.status();
    EXPECT_EQ(ran->scalar<float>(), value);
  }
  static void ExpectPsIsMissed(const absl::Status& status) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("/job:ps/replica:0/task:0"));
  }

  const std::string ps_address_, first_address_, second_address_;
  const std::string cluster_;
  ServerProcess ps_, first_, second_;
};

TEST_F(FailingTasksTest, AKilledPsIsKnownAtOnceAndOthersGoOn) {
  StartAll();
  const auto client = Open(first_address_, 0);
  const auto other = Open(second_address_, 1);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ExpectRuns(*client, "read:0", 1);
  const auto [status, took] = WaitWhile(*client, [&] { ps_.Kill(); });
  ExpectPsIsMissed(status);
  EXPECT_LT(took, 3);
  ExpectRuns(*client, "here:0", 9);
  ExpectRuns(*other, "here:0", 9);
  ExpectPsIsMissed(other->Run({}, "read:0").status());
}

TEST_F(FailingTasksTest, AStoppedPsIsKnownWithinSecondsAndMayComeBack) {
  StartAll();
  const auto client = Open(first_address_, 0);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  const auto [status, took] = WaitWhile(*client, [&] { ps_.Signal(SIGSTOP); });
  ExpectPsIsMissed(status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("silent"));
  EXPECT_LT(took, 8);
  ExpectRuns(*client, "here:0", 9);
  ps_.Signal(SIGCONT);
  ExpectRuns(*client, "read:0", 1);
}

TEST_F(FailingTasksTest, ARestartedPsHasLostItsVariablesAndANewSessionFindsThatOut) {
  StartAll();
  auto client = Open(first_address_, 0);
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ASSERT_TRUE(client->Run({}, "", {"add"}).ok());
  ps_.Kill();
  ASSERT_TRUE(ps_.Start()) << ps_.Log();
  // The session was of the ps that is gone.
  const absl::Status lost = client->Run({}, "read:0").status();
  EXPECT_TRUE(absl::IsAborted(lost) || absl::IsUnavailable(lost)) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr("/job:ps/replica:0/task:0"));
  client = Open(first_address_, 0);
  const absl::Status empty = client->Run({}, "read:0").status();
  EXPECT_EQ(empty.code(), absl::StatusCode::kFailedPrecondition) << empty;
  EXPECT_THAT(std::string(empty.message()), AllOf(HasSubstr("uninitialized"), HasSubstr("v")));
  ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
  ExpectRuns(*client, "read:0", 1);
}

TEST_F(FailingTasksTest, AKilledWorkerIsNothingToTheOther) {
  StartAll();
  auto gone = Open(first_address_, 0);
  const auto other = Open(second_address_, 1);
  ASSERT_TRUE(other->Run({}, "", {"init"}).ok());
  const auto [status, took] = WaitWhile(*gone, [&] { first_.Kill(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_LT(took, 3);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(other->Run({}, "", {"add"}).ok());
  ExpectRuns(*other, "read:0", 21 * 21);
  // It comes back, and finds the variables as they are.
  ASSERT_TRUE(first_.Start()) << first_.Log();
  gone = Open(first_address_, 0);
  ExpectRuns(*gone, "read:0", 21 * 21);
}

TEST_F(FailingTasksTest, AStoppedWorkerIsNothingToTheOther) {
  StartAll();
  const auto client = Open(first_address_, 0);
  const auto other = Open(second_address_, 1);
  ASSERT_TRUE(other->Run({}, "", {"init"}).ok());
  first_.Signal(SIGSTOP);
  const auto before = Clock::now();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(other->Run({}, "", {"add"}).ok());
  EXPECT_LT(Clock::now() - before, seconds(10));
  first_.Signal(SIGCONT);
  ExpectRuns(*client, "read:0", 21 * 21);
}

TEST_F(FailingTasksTest, ASessionWaitsForATaskThatStartsLateAndSaysForWhich) {
  ASSERT_TRUE(first_.Start()) << first_.Log();
  ASSERT_TRUE(second_.Start()) << second_.Log();
  std::future<absl::Status> opened = std::async(std::launch::async, [&] {
    ClusterClient client(first_address_);
    return client.Open(Model(0));
  });
  while (opened.wait_for(milliseconds(10)) != std::future_status::ready &&
         first_.Log().find("a new session waits for ") == std::string::npos) {
  }
  EXPECT_THAT(first_.Log(), AllOf(HasSubstr("waits for /job:ps/replica:0/task:0"),
                                  Not(HasSubstr("/job:worker/replica:0/task:1"))));
  ASSERT_TRUE(ps_.Start()) << ps_.Log();
  const absl::Status status = opened.get();
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(FailingTasksTest, AServerStopsSoonWhileOthersWaitForItAndItsPortIsFree) {
  StartAll();
  const auto client = Open(first_address_, 0);
  int exit_status = -1;
  const auto [status, took] = WaitWhile(*client, [&] { exit_status = ps_.Stop(5000); });
  EXPECT_EQ(exit_status, 0) << ps_.Log();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_LT(took, 5);
  ASSERT_TRUE(ps_.Start()) << ps_.Log();
}

TEST_F(FailingTasksTest, AServerWhoseSessionWaitsForATaskStopsAllTheSame) {
  ASSERT_TRUE(first_.Start()) << first_.Log();
  std::future<absl::Status> opened = std::async(std::launch::async, [&] {
    ClusterClient client(first_address_);
    return client.Open(Model(0));
  });
  while (opened.wait_for(milliseconds(10)) != std::future_status::ready &&
         first_.Log().find("a new session waits for ") == std::string::npos) {
  }
  const auto before = Clock::now();
  EXPECT_EQ(first_.Stop(5000), 0) << first_.Log();
  EXPECT_LT(Clock::now() - before, milliseconds(5000));
  EXPECT_EQ(opened.get().code(), absl::StatusCode::kUnavailable);
}

// Clients that go, whatever way they go, leave nothing behind.
TEST_F(FailingTasksTest, SessionsThatComeAndGoLeaveNeitherThreadsNorFiles) {
  StartAll();
  const auto visit = [&] {
    const auto client = Open(first_address_, 0);
    ASSERT_TRUE(client->Run({}, "", {"init"}).ok());
    ExpectRuns(*client, "read:0", 1);
  };
  for (int i = 0; i < 5; ++i) visit();
  const int files = ps_.Files(), threads = ps_.Threads();
  for (int i = 0; i < 30; ++i) visit();
  EXPECT_LE(ps_.Files(), files + 2);
  EXPECT_LE(ps_.Threads(), threads + 4);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
