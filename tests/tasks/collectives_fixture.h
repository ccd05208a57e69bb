// TaskCollectivesTest: tasks of this process whose members of collectives meet over sockets.
//
//   StartTasks(2);
//   Sum(root.Device(WorkerName(1)), "y", x, /*size=*/2, /*instance=*/1);
//   const auto session = Open(root);
//   const auto y = Fetch(*session, {"y:0"});
//
// Ownership: owns the tasks; sessions end before it. Thread safety: sessions run in any thread.
// Errors: fail the test.
#ifndef WARPBEAM_TESTS_TASKS_COLLECTIVES_FIXTURE_H_
#define WARPBEAM_TESTS_TASKS_COLLECTIVES_FIXTURE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/ops/array_ops.h"
#include "frontend/ops/collective_ops.h"
#include "runtime/dist/socket/socket_communicator.h"
#include "tests/tasks/two_tasks.h"

namespace warpbeam {
namespace frontend {

inline std::string WorkerName(int task) { return absl::StrCat("/job:worker/task:", task); }

class TaskCollectivesTest : public ::testing::Test {
 protected:
  void StartTasks(int count, int cpu_devices = 1) {
    SessionOptions options;
    options.cpu_devices = cpu_devices;
    StartTasks(count, options);
  }
  void StartTasks(int count, const SessionOptions& options, LocalCollectives collectives = {}) {
    std::vector<std::pair<std::string, int>> tasks;
    std::map<std::string, std::string> addresses;
    for (int i = 0; i < count; ++i) {
      tasks.emplace_back("worker", i);
      addresses[absl::StrCat("/job:worker/replica:0/task:", i)] = "localhost:1";
    }
    collectives.communicators = SocketCommunicators(addresses);
    auto cluster = LocalCluster::Create(tasks, options, collectives);
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *std::move(cluster);
  }
  std::unique_ptr<Session> Open(const Scope& root, int master = 0) {
    EXPECT_TRUE(root.status().ok()) << root.status();
    auto session = cluster_->NewSession(root.graph(), /*is_isolated=*/false, master);
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *std::move(session) : nullptr;
  }
  static StatusOr<std::vector<Tensor>> Fetch(Session& session,
                                             const std::vector<std::string>& names,
                                             const NamedTensors& feeds = {},
                                             int64_t timeout_ms = 30000) {
    RunOptions options;
    options.timeout_ms = timeout_ms;
    std::vector<Tensor> out;
    WB_RETURN_IF_ERROR(session.Run(options, feeds, names, {}, &out));
    return out;
  }
  // A member of an all-reduce, at the scope's device.
  static Output Sum(const Scope& at, const std::string& name, const Input& x, int size,
                    int instance, const std::string& final_op = "Id", int group = 1) {
    return ops::CollectiveReduceV2(at.Named(name), x, Constant(at, size), Constant(at, group),
                                   Constant(at, instance), {}, "Add", final_op);
  }

  std::unique_ptr<LocalCluster> cluster_;
};

}  // namespace frontend
}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_TASKS_COLLECTIVES_FIXTURE_H_
