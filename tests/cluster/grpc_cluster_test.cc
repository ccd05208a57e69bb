// A ps and a worker that are servers on this machine: steps over both, large tensors, errors, and a
// task that stops.
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "absl/strings/match.h"
#include "frontend/ops/array_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/ops/state_ops.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/cluster_spec.h"
#include "runtime/dist/grpc_peers.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/dist/testing/loopback.h"
#include "tests/cluster/cluster_client.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr char kWorker[] = "/job:worker/task:0";
constexpr char kPs[] = "/job:ps/task:0";

struct Task {
  std::unique_ptr<Master> master;
  std::unique_ptr<GrpcServer> server;
};

class GrpcClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::string> free = FreeAddresses(2);
    const auto cluster = ClusterSpec::Create({{"ps", {free[0]}}, {"worker", {free[1]}}});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *cluster;
    Start("ps", &ps_);
    Start("worker", &worker_);
    client_ = std::make_unique<ClusterClient>(*cluster_.task_address("worker", 0));
  }
  void Start(const std::string& job, Task* task) {
    MasterOptions options;
    options.session.job = job;
    options.close_timeout_ms = 2000;
    options.kept_sent_bytes = kept_sent_bytes_;
    options.long_step_ms = long_step_ms_;
    options.log = [this, job](const std::string& line) {
      const std::lock_guard<std::mutex> lock(mutex_);
      logs_[job] += line + "\n";
    };
    options.peers = NewGrpcPeers(cluster_);
    auto master = Master::Create(options);
    ASSERT_TRUE(master.ok()) << master.status();
    task->master = *std::move(master);
    const auto address = ParseAddress(*cluster_.task_address(job, 0));
    ASSERT_TRUE(address.ok()) << address.status();
    auto server = GrpcServer::Start({"localhost", address->port}, task->master.get());
    ASSERT_TRUE(server.ok()) << server.status();
    task->server = *std::move(server);
  }
  void Open(const Scope& root) {
    const Status opened = client_->Open(root);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  Status Run(const NamedTensors& feeds, const std::string& fetch,
             const std::vector<std::string>& targets = {}) {
    WB_ASSIGN_OR_RETURN(fetched_, client_->Run(feeds, fetch, targets, metadata_));
    return OkStatus();
  }

  std::string Log(const std::string& job) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return logs_[job];
  }
  static bool Eventually(const std::function<bool()>& holds) {
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (Clock::now() < end && !holds()) std::this_thread::yield();
    return holds();
  }

  std::mutex mutex_;
  std::map<std::string, std::string> logs_;  // by job; guarded by the mutex
  ClusterSpec cluster_;
  Task ps_, worker_;
  std::unique_ptr<ClusterClient> client_;
  RunMetadata* metadata_ = nullptr;
  Tensor fetched_;
  int64_t kept_sent_bytes_ = 0;
  int64_t long_step_ms_ = 60000;
};

TEST_F(GrpcClusterTest, AVariableOfThePsIsUpdatedByTheWorker) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Variable v(root.Device(kPs).Named("v"), Constant(root.Device(kPs), 1.0f));
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  Square(root.Named("square"), v.read());
  ops::AssignAdd(root.Device(kPs).Named("add"), v.ref(), Square(root, x));
  GlobalVariablesInitializer(root.Named("init"));
  Open(root);
  ASSERT_TRUE(Run({}, "", {"init"}).ok());
  for (int i = 0; i < 20; ++i) {
    const Status ran = Run({{"x:0", Tensor::Scalar(2.0f)}}, "", {"add"});
    ASSERT_TRUE(ran.ok()) << ran;
  }
  const Status ran = Run({}, "square:0");
  ASSERT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(fetched_.scalar<float>(), 81.0f * 81.0f);
}

// Both ways, beyond what gRPC takes by default, and empty.
TEST_F(GrpcClusterTest, TensorsOfAllSizesCross) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape::UnknownOfRank(1));
  Negative(root.Named("back"), Square(root.Device(kPs), Negative(root, x)));
  Open(root);
  for (const int64_t size : {0, 1, 3000, 5000, 3000000}) {
    Tensor value = *Tensor::Allocate(DType::kFloat, Shape({size}));
    for (int64_t i = 0; i < size; ++i) value.data<float>()[i] = static_cast<float>(i % 1000);
    const Status ran = Run({{"x:0", value}}, "back:0");
    ASSERT_TRUE(ran.ok()) << size << ": " << ran;
    ASSERT_EQ(fetched_.num_elements(), size);
    for (int64_t i = 0; i < size; ++i) {
      const float expected = static_cast<float>((i % 1000) * (i % 1000));
      ASSERT_EQ(fetched_.data<float>()[i], -expected) << size << ", " << i;
    }
  }
}

TEST_F(GrpcClusterTest, AnErrorNamesTaskAndNode) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  Square(root.Named("y"), ops::CheckNumerics(root.Device(kPs).Named("checked"), x, "not finite"));
  Open(root);
  const Status failed =
      Run({{"x:0", Tensor::Scalar(std::numeric_limits<float>::infinity())}}, "y:0");
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument) << failed;
  EXPECT_THAT(std::string(failed.message()),
              AllOf(HasSubstr("/job:ps/replica:0/task:0"), HasSubstr("not finite"),
                    HasSubstr("{{node checked}}")));
  EXPECT_TRUE(Run({{"x:0", Tensor::Scalar(2.0f)}}, "y:0").ok());
}

TEST_F(GrpcClusterTest, ATraceTellsOfAllTasks) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Output x = Placeholder(root.Named("x"), DType::kFloat, PartialShape(Shape()));
  const Output there = Square(root.Device(kPs).Named("there"), x);
  Negative(root.Named("here"), there);
  Open(root);
  RunMetadata metadata;
  metadata_ = &metadata;
  const Status ran = Run({{"x:0", Tensor::Scalar(3.0f)}}, "here:0");
  ASSERT_TRUE(ran.ok()) << ran;
  std::map<std::string, std::string> device_of;
  for (const NodeStats& node : metadata.step_stats.nodes) {
    device_of[std::string(node.node)] = std::string(node.device);
    EXPECT_GT(node.start_ns, 0) << node.node;
  }
  EXPECT_EQ(device_of["there"], "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(device_of["here"], "/job:worker/replica:0/task:0/device:CPU:0");
  std::map<std::string, std::string> part_of;
  for (const DeviceGraph& part : metadata.partition_graphs) {
    for (const NodeSpec& node : part.nodes) part_of[node.name] = part.device;
  }
  EXPECT_EQ(part_of["there"], "/job:ps/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(part_of["here"], "/job:worker/replica:0/task:0/device:CPU:0");
}

class TasksThatKeepTest : public GrpcClusterTest {
 protected:
  TasksThatKeepTest() { kept_sent_bytes_ = int64_t{64} << 20; }
};

TEST_F(TasksThatKeepTest, ATensorIsKeptUntilItsReceiverSaysThatItHasCome) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output x = Placeholder(ps.Named("x"), DType::kFloat, PartialShape::UnknownOfRank(1));
  const Variable seen(root.Named("seen"), Constant(root, 0.0f));
  const Output sum = ReduceSum(root, Square(ps, x));
  const Output set = ops::Assign(root.Named("set"), seen.ref(), sum);
  const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
  Add(root.Named("late"), set, ops::QueueDequeueV2(ps, queue, {DType::kFloat})[0]);
  ops::QueueEnqueueV2(ps.Named("fill"), queue, {Constant(ps, 1.0f)});
  Identity(root.Named("look"), seen.read());
  GlobalVariablesInitializer(root.Named("init"));
  Open(root);
  ASSERT_TRUE(Run({}, "", {"init"}).ok());
  Status ended;
  Tensor ones = *Tensor::Allocate(DType::kFloat, Shape({1 << 20}));
  std::fill_n(ones.data<float>(), 1 << 20, 1.0f);
  std::thread waits([&] { ended = client_->Run({{"x:0", ones}}, "late:0").status(); });
  EXPECT_TRUE(Eventually([&] { return Run({}, "look:0").ok() && fetched_.scalar<float>() > 0; }));
  // The step still waits, so that nothing else lets go of what crossed in both directions.
  EXPECT_TRUE(Eventually([&] { return ps_.master->worker().kept_bytes() < (1 << 20); }));
  EXPECT_TRUE(Eventually([&] { return worker_.master->worker().kept_bytes() < (1 << 20); }));
  EXPECT_TRUE(Run({}, "", {"fill"}).ok());
  waits.join();
  EXPECT_TRUE(ended.ok()) << ended;
}

class ImpatientTasksTest : public GrpcClusterTest {
 protected:
  ImpatientTasksTest() { long_step_ms_ = 100; }
};

TEST_F(ImpatientTasksTest, AStepThatWaitsForLongSaysInEachTasksLogWhatFor) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
  const Output taken = ops::QueueDequeueV2(ps.Named("taken"), queue, {DType::kFloat})[0];
  Square(root.Named("y"), taken);
  ops::QueueEnqueueV2(ps.Named("fill"), queue, {Constant(ps, 1.0f)});
  const Output own = ops::FIFOQueueV2(root.Named("own"), {DType::kFloat});
  Square(root.Named("z"), ops::QueueDequeueV2(root.Named("mine"), own, {DType::kFloat})[0]);
  ops::QueueEnqueueV2(root.Named("fill_own"), own, {Constant(root, 1.0f)});
  Open(root);
  std::thread waits([&] { client_->Run({}, "y:0").status().IgnoreError(); });
  std::thread waits_here([&] { client_->Run({}, "z:0").status().IgnoreError(); });
  EXPECT_TRUE(Eventually([&] {
    return absl::StrContains(Log("ps"), "has run for") &&
           absl::StrContains(Log("worker"), "receiving") &&
           absl::StrContains(Log("worker"), "node 'mine");
  }));
  EXPECT_THAT(Log("ps"), HasSubstr("node 'taken' (QueueDequeueV2) on /job:ps"));
  EXPECT_THAT(Log("worker"), AllOf(HasSubstr("receiving '"),
                                   HasSubstr("from /job:ps/replica:0/task:0/device:CPU:0 to "
                                             "/job:worker/replica:0/task:0/device:CPU:0"),
                                   HasSubstr("the parts of /job:ps/replica:0/task:0"),
                                   HasSubstr("node 'mine' (QueueDequeueV2) on /job:worker")));
  EXPECT_TRUE(Run({}, "", {"fill"}).ok());
  EXPECT_TRUE(Run({}, "", {"fill_own"}).ok());
  waits.join();
  waits_here.join();
}

TEST_F(GrpcClusterTest, ATaskThatStopsEndsTheStepThatWaitsForIt) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
  Square(root.Named("y"), ops::QueueDequeueV2(ps, queue, {DType::kFloat})[0]);
  Square(root.Named("here"), Constant(root, 3.0f));
  Open(root);
  ASSERT_TRUE(Run({}, "here:0").ok());
  Status ended;
  std::thread waits([&] { ended = Run({}, "y:0"); });
  while (ps_.master->worker().steps().size() == 0) std::this_thread::yield();
  const auto before = Clock::now();
  ps_.server->Stop(1000);
  waits.join();
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(5));
  EXPECT_FALSE(ended.ok());
  EXPECT_THAT(std::string(ended.message()), HasSubstr("/job:ps"));
  const Status ran = Run({}, "here:0");
  EXPECT_TRUE(ran.ok()) << ran;
  const Status gone = Run({}, "y:0");
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable) << gone;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
