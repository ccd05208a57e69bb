// FailingCluster: a ps, a chief and a worker that are processes of their own, and what their
// clients run, for tests of what happens to them.
//
//   class MyTest : public FailingCluster { … };
//   StartAll();
//   const auto client = Open(worker_);
//   const auto [status, took] = WaitWhile(*client, [&] { ps_.server.Kill(); });
//
// Each of chief and worker has clients with the same graph: a variable on the ps ("init", "read",
// "add"), a step that waits on the ps ("wait"; "fill" ends it), and one of the client's own server
// ("here"). The times are docs/cluster.md's and a few seconds more, for machines that have other
// things to do.
//
// Ownership: the processes end with the test. Thread safety: one thread. Errors: failed
// expectations.
#ifndef WARPBEAM_TESTS_CLUSTER_FAILING_CLUSTER_H_
#define WARPBEAM_TESTS_CLUSTER_FAILING_CLUSTER_H_

#include <signal.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

class FailingCluster : public ::testing::Test {
 public:
  using Clock = std::chrono::steady_clock;

  struct Task {
    std::string job;
    std::string address;
    ServerProcess server;
  };

  // What one is killed ends within a second, what one is stopped within five.
  static constexpr double kKilledSeconds = 3;
  static constexpr double kSilentSeconds = 8;
  static constexpr char kPs[] = "/job:ps/task:0";

  FailingCluster() : FailingCluster(FreeAddresses(3)) {}
  // `ps_of_worker`: where the worker finds the ps; empty: where it is.
  explicit FailingCluster(const std::vector<std::string>& free,
                          const std::string& ps_of_worker = "",
                          const std::string& worker_of_ps = "")
      : ps_{"ps", free[0], ServerProcess(Flags("ps", free[0], free[1], Or(worker_of_ps, free[2])))},
        chief_{"chief", free[1], ServerProcess(Flags("chief", free[0], free[1], free[2]))},
        worker_{"worker", free[2],
                ServerProcess(Flags("worker", Or(ps_of_worker, free[0]), free[1], free[2]))} {}

  void StartAll() {
    for (Task* task : {&ps_, &chief_, &worker_}) {
      ASSERT_TRUE(task->server.Start()) << task->server.Log();
    }
  }
  static Scope Model(const std::string& job) {
    const Scope root = Scope::NewRoot().Device(absl::StrCat("/job:", job, "/task:0"));
    const Scope ps = root.Device(kPs);
    const Variable v(ps.Named("v"), Constant(ps, 1.0f));
    Square(root.Named("read"), v.read());
    ops::AssignAdd(ps.Named("add"), v.ref(), Square(root, Constant(root, 1.0f)));
    const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat},
                                          ops::FIFOQueueV2Attrs().shared_name("queue"));
    Square(root.Named("wait"), ops::QueueDequeueV2(ps, queue, {DType::kFloat})[0]);
    ops::QueueEnqueueV2(ps.Named("fill"), queue, {Constant(ps, 4.0f)});
    Square(root.Named("here"), Constant(root, 3.0f));
    GlobalVariablesInitializer(root.Named("init"));
    return root;
  }
  static std::unique_ptr<ClusterClient> Open(const Task& task) {
    auto client = std::make_unique<ClusterClient>(task.address);
    const Status opened = client->Open(Model(task.job));
    EXPECT_TRUE(opened.ok()) << opened;
    return client;
  }
  // What a step that waits on the ps says, and how long after `happens` it says so.
  static std::pair<Status, double> WaitWhile(ClusterClient& client,
                                             const std::function<void()>& happens) {
    std::future<Status> ended =
        std::async(std::launch::async, [&] { return client.Run({}, "wait:0").status(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const auto before = Clock::now();
    happens();
    Status status = ended.get();
    return {std::move(status), SecondsSince(before)};
  }
  static double SecondsSince(Clock::time_point before) {
    return std::chrono::duration<double>(Clock::now() - before).count();
  }
  static void ExpectRuns(ClusterClient& client, const std::string& fetch, float value) {
    const auto ran = client.Run({}, fetch);
    ASSERT_TRUE(ran.ok()) << fetch << ": " << ran.status();
    EXPECT_EQ(ran->scalar<float>(), value);
  }
  // Updates the variable so often, without one of them failing.
  static void ExpectAdds(ClusterClient& client, int times) {
    for (int i = 0; i < times; ++i) {
      const Status added = client.Run({}, "", {"add"}).status();
      ASSERT_TRUE(added.ok()) << i << ": " << added;
    }
  }
  static void ExpectMissed(const Status& status, const std::string& who) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(who));
  }
  static void ExpectPsIsMissed(const Status& status) {
    ExpectMissed(status, "/job:ps/replica:0/task:0");
  }
  // Runs until it works again; how long that took.
  static double SecondsUntilRuns(ClusterClient& client, const std::string& fetch) {
    const auto before = Clock::now();
    Status status;
    while (SecondsSince(before) < 30) {
      status = client.Run({}, fetch).status();
      if (status.ok()) return SecondsSince(before);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "it does not run again: " << status;
    return SecondsSince(before);
  }

  Task ps_, chief_, worker_;

 private:
  static const std::string& Or(const std::string& first, const std::string& second) {
    return first.empty() ? second : first;
  }
  static std::vector<std::string> Flags(const std::string& job, const std::string& ps,
                                        const std::string& chief, const std::string& worker) {
    return {absl::StrCat("--cluster=ps|", ps, ",chief|", chief, ",worker|", worker),
            "--job=" + job};
  }
};

// A process that gets three of ten seconds, in pieces, for as long as this is there.
class Slowed {
 public:
  explicit Slowed(const ServerProcess* server) : server_(*server), thread_([this] { Main(); }) {}
  ~Slowed() {
    ends_ = true;
    thread_.join();
  }
  Slowed(const Slowed&) = delete;
  Slowed& operator=(const Slowed&) = delete;

 private:
  void Main() {
    while (!ends_) {
      server_.Signal(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(350));
      server_.Signal(SIGCONT);
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
  }

  const ServerProcess& server_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CLUSTER_FAILING_CLUSTER_H_
