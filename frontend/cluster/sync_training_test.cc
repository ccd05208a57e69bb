// Two workers that train in step with each other over real servers, with sessions that last.
#include <cmath>
#include <thread>

#include "absl/strings/str_cat.h"
#include "frontend/cluster/device_setter.h"
#include "frontend/cluster/server.h"
#include "frontend/warpbeam.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

// loss = (w - 4)^2, from w = 0; every step takes w a fifth of the way.
struct Replica {
  Replica(const ClusterSpec& cluster, int task)
      : scope(root.Device(
            ReplicaDeviceSetter(ReplicaDeviceSetterOptions().cluster(cluster).worker_device(
                absl::StrCat("/job:worker/task:", task))))),
        step(GetOrCreateGlobalStep(scope)),
        sync(&descent, 2) {
    w = GetVariable(scope, "w", {}, ConstantInitializer(0));
    const Output distance = Subtract(scope, w, 4.0f);
    train = sync.Minimize(scope, Multiply(scope, distance, distance), step);
  }

  const Scope root = Scope::NewRoot();
  const Scope scope;
  Variable step, w;
  GradientDescentOptimizer descent{0.1};
  SyncReplicasOptimizer sync;
  Operation train;
};

constexpr int kSteps = 8;

// What a worker's program does.
void Train(const ClusterSpec& cluster, const std::string& target, int task) {
  Replica replica(cluster, task);
  MonitoredTrainingOptions options;
  options.config.target = target;
  options.is_chief = task == 0;
  options.recovery_wait_secs = 0.05;
  options.max_wait_secs = 60;
  options.log_step_count_steps = 0;
  options.hooks = {std::make_shared<SyncReplicasHook>(&replica.sync, options.is_chief, 0),
                   StopAtStepHook::AtLastStep(kSteps)};
  const auto session = MonitoredTrainingSession(replica.scope, options);
  ASSERT_TRUE(session.ok()) << task << ": " << session.status();
  while (!(*session)->ShouldStop()) {
    const auto ran = (*session)->Run({replica.train});
    if (!ran.ok()) {
      // Whoever waits when the chief has ended.
      EXPECT_TRUE(task == 1 && IsOutOfRange(ran.status())) << task << ": " << ran.status();
      break;
    }
  }
  const Status closed = (*session)->Close();
  EXPECT_TRUE(closed.ok()) << task << ": " << closed;
}

TEST(SyncTrainingTest, WorkersOfServersTrainTogetherAndEnd) {
  const std::vector<std::string> addresses = FreeAddresses(3);
  const auto cluster =
      ClusterSpec::Create({{"ps", {addresses[0]}}, {"worker", {addresses[1], addresses[2]}}});
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const auto ps = Server::Create(*cluster, "ps", 0);
  ASSERT_TRUE(ps.ok()) << ps.status();
  std::vector<std::unique_ptr<Server>> workers;
  for (int task = 0; task < 2; ++task) {
    auto server = Server::Create(*cluster, "worker", task);
    ASSERT_TRUE(server.ok()) << server.status();
    workers.push_back(*std::move(server));
  }
  std::vector<std::thread> threads;
  for (int task = 0; task < 2; ++task) {
    threads.emplace_back([&, task] { Train(*cluster, workers[task]->target(), task); });
  }
  for (std::thread& thread : threads) thread.join();

  const Replica reader(*cluster, 0);
  SessionConfig config;
  config.target = workers[0]->target();
  ClientSession session(reader.root, config);
  const auto values = session.Run({reader.step, reader.w});
  ASSERT_TRUE(values.ok()) << values.status();
  const int64_t steps = (*values)[0].scalar<int64_t>();
  EXPECT_GE(steps, kSteps);
  EXPECT_NEAR((*values)[1].scalar<float>(), 4 * (1 - std::pow(0.8, steps)), 1e-4);
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
