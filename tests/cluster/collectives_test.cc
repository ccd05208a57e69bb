// Collectives over real servers on the loopback, and what their members see when one is killed or
// stopped. The times are those of docs/cluster.md and a few seconds more, for machines that have
// other things to do.
#include <signal.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "frontend/ops/array_ops.h"
#include "frontend/ops/collective_ops.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"
#include "tests/cluster/cluster_client.h"
#include "tests/cluster/server_process.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kTasks = 3;

std::string WorkerName(int task) { return absl::StrCat("/job:worker/task:", task); }

// Three workers.
class ClusterCollectivesTest : public ::testing::Test {
 protected:
  explicit ClusterCollectivesTest(const TlsFiles& tls = {})
      : tls_(tls), addresses_(FreeAddresses(kTasks)) {
    std::string cluster = "--cluster=worker|";
    for (int i = 0; i < kTasks; ++i) {
      absl::StrAppend(&cluster, i == 0 ? "" : ";", addresses_[static_cast<size_t>(i)]);
    }
    for (int i = 0; i < kTasks; ++i) {
      servers_.push_back(std::make_unique<ServerProcess>(std::vector<std::string>{
          cluster, "--job=worker", absl::StrCat("--task=", i), "--tls_cert=" + tls.certificate,
          "--tls_key=" + tls.key, "--tls_ca=" + tls.authority}));
    }
  }
  void SetUp() override {
    for (const auto& server : servers_) ASSERT_TRUE(server->Start()) << server->Log();
  }
  std::unique_ptr<ClusterClient> Open(const Scope& root, int master) {
    auto client = std::make_unique<ClusterClient>(addresses_[static_cast<size_t>(master)], tls_);
    const Status opened = client->Open(root);
    EXPECT_TRUE(opened.ok()) << opened;
    return client;
  }
  static Output Sum(const Scope& at, const std::string& name, const Input& x, int size) {
    return ops::CollectiveReduceV2(at.Named(name), x, Constant(at, size), Constant(at, 1),
                                   Constant(at, 1), {}, "Add", "Id");
  }
  // Each worker has a client of its own, whose steps meet those of the others.
  std::vector<std::unique_ptr<ClusterClient>> OpenEach() {
    std::vector<std::unique_ptr<ClusterClient>> clients;
    for (int i = 0; i < kTasks; ++i) {
      const Scope root = Scope::NewRoot().Device(WorkerName(i));
      const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape({-1}));
      Sum(root, "y", x, kTasks);
      clients.push_back(Open(root, i));
    }
    return clients;
  }
  using Result = std::future<StatusOr<Tensor>>;
  static Result Begin(ClusterClient& client, const Tensor& x) {
    return std::async(std::launch::async, [&client, x] { return client.Run({{"x:0", x}}, "y:0"); });
  }
  static void ExpectAllMeet(const std::vector<std::unique_ptr<ClusterClient>>& clients) {
    std::vector<Result> results;
    for (const auto& client : clients) {
      results.push_back(Begin(*client, Tensor::Vector({1.0f, 2.0f})));
    }
    for (Result& result : results) {
      const auto y = result.get();
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->data<float>()[1], 2 * kTasks);
    }
  }
  // The last task does not come. What the others' steps say once this happens to it.
  void ExpectTheOthersEnd(const std::vector<std::unique_ptr<ClusterClient>>& clients,
                          const std::function<void()>& happens, double within_seconds) {
    std::vector<Result> results;
    for (int i = 0; i + 1 < kTasks; ++i) {
      results.push_back(Begin(*clients[static_cast<size_t>(i)], Tensor::Vector({1.0f, 2.0f})));
    }
    std::this_thread::sleep_for(milliseconds(300));
    const auto before = Clock::now();
    happens();
    for (Result& result : results) {
      const Status status = result.get().status();
      EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr("/job:worker/replica:0/task:2"));
    }
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - before).count(), within_seconds);
  }

  const TlsFiles tls_;
  const std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<ServerProcess>> servers_;
};

TEST_F(ClusterCollectivesTest, OneMastersStepMeetsOnAllTasks) {
  const Scope root = Scope::NewRoot();
  for (int i = 0; i < kTasks; ++i) {
    const Scope at = root.Device(WorkerName(i));
    const Output x =
        ops::Fill(at, Constant(at, {1000003}), Constant(at, static_cast<float>(i + 1)));
    const Output sum = Sum(at, absl::StrCat("sum", i), x, kTasks);
    ReduceSum(at.Named(absl::StrCat("total", i)), sum, Constant(at, {0}));
  }
  const auto client = Open(root, 0);
  for (int i = 0; i < kTasks; ++i) {
    std::vector<std::string> others;
    for (int j = 0; j < kTasks; ++j) others.push_back(absl::StrCat("total", j));
    const auto total = client->Run({}, absl::StrCat("total", i, ":0"), others);
    ASSERT_TRUE(total.ok()) << total.status();
    EXPECT_EQ(total->scalar<float>(), 6 * 1000003);
  }
}

// Certificates that were made for tests.
class EncryptedCollectivesTest : public ClusterCollectivesTest {
 protected:
  EncryptedCollectivesTest()
      : ClusterCollectivesTest({"runtime/dist/testdata/tls/task.crt",
                                "runtime/dist/testdata/tls/task.key",
                                "runtime/dist/testdata/tls/authority.crt"}) {}
};

TEST_F(EncryptedCollectivesTest, MeetOnAllTasks) {
  const auto clients = OpenEach();
  ExpectAllMeet(clients);
  ExpectTheOthersEnd(
      clients, [&] { servers_[2]->Kill(); }, 3);
}

// Each worker's client has a rank, which is not the number of the task.
TEST_F(ClusterCollectivesTest, RanksOfSeveralMastersExchangePieces) {
  std::vector<std::unique_ptr<ClusterClient>> clients;
  for (int rank = 0; rank < kTasks; ++rank) {
    const int task = kTasks - 1 - rank;
    const Scope root = Scope::NewRoot().Device(WorkerName(task));
    const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape({kTasks}));
    const Output communicator = ops::CollectiveInitializeCommunicator(
        root, Constant(root, 7), Constant(root, rank), Constant(root, kTasks));
    ops::CollectiveAllToAllV3(root.Named("y"), x, communicator,
                              Constant(root, Tensor::FromValues<int32_t>(Shape({0, 0}), {})));
    clients.push_back(Open(root, task));
  }
  for (int step = 0; step < 3; ++step) {
    std::vector<Result> results;
    for (int rank = 0; rank < kTasks; ++rank) {
      const auto r = static_cast<float>(10 * rank);
      results.push_back(
          Begin(*clients[static_cast<size_t>(rank)], Tensor::Vector({r, r + 1, r + 2})));
    }
    for (int rank = 0; rank < kTasks; ++rank) {
      const auto y = results[static_cast<size_t>(rank)].get();
      ASSERT_TRUE(y.ok()) << y.status();
      for (int from = 0; from < kTasks; ++from) {
        EXPECT_EQ(y->data<float>()[from], 10 * from + rank);
      }
    }
  }
}

TEST_F(ClusterCollectivesTest, AKilledTaskEndsTheOthersAtOnceAndIsMetAgain) {
  auto clients = OpenEach();
  ExpectAllMeet(clients);
  ExpectTheOthersEnd(
      clients, [&] { servers_[2]->Kill(); }, 3);
  ASSERT_TRUE(servers_[2]->Start()) << servers_[2]->Log();
  // Sessions were of the task that is gone.
  clients.clear();
  clients = OpenEach();
  ExpectAllMeet(clients);
}

TEST_F(ClusterCollectivesTest, AStoppedTaskEndsTheOthersWithinSecondsAndMayComeBack) {
  const auto clients = OpenEach();
  ExpectAllMeet(clients);
  ExpectTheOthersEnd(
      clients, [&] { servers_[2]->Signal(SIGSTOP); }, 9);
  servers_[2]->Signal(SIGCONT);
  // It learns that the group has ended without it; a step that is sooner fails.
  std::this_thread::sleep_for(milliseconds(1500));
  Status status;
  for (int i = 0; i < 3; ++i) {
    std::vector<Result> results;
    for (const auto& client : clients) results.push_back(Begin(*client, Tensor::Vector({1.0f})));
    status = OkStatus();
    for (Result& result : results) status.Update(result.get().status());
    if (status.ok()) break;
  }
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(ClusterCollectivesTest, AServerThatStopsInOrderEndsTheOthersAndIsGone) {
  auto clients = OpenEach();
  ExpectAllMeet(clients);
  clients[2].reset();
  ExpectTheOthersEnd(
      clients, [&] { EXPECT_EQ(servers_[2]->Stop(5000), 0); }, 5);
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
