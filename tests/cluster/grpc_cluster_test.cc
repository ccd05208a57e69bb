// A ps and a worker that are servers on this machine: steps over both, large tensors, errors, and a
// task that stops.
#include <chrono>
#include <thread>

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
    const absl::Status opened = client_->Open(root);
    ASSERT_TRUE(opened.ok()) << opened;
  }
  absl::Status Run(const NamedTensors& feeds, const std::string& fetch,
                   const std::vector<std::string>& targets = {}) {
    WB_ASSIGN_OR_RETURN(fetched_, client_->Run(feeds, fetch, targets, metadata_));
    return absl::OkStatus();
  }

  ClusterSpec cluster_;
  Task ps_, worker_;
  std::unique_ptr<ClusterClient> client_;
  RunMetadata* metadata_ = nullptr;
  Tensor fetched_;
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
    const absl::Status ran = Run({{"x:0", Tensor::Scalar(2.0f)}}, "", {"add"});
    ASSERT_TRUE(ran.ok()) << ran;
  }
  const absl::Status ran = Run({}, "square:0");
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
    const absl::Status ran = Run({{"x:0", value}}, "back:0");
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
  const absl::Status failed =
      Run({{"x:0", Tensor::Scalar(std::numeric_limits<float>::infinity())}}, "y:0");
  EXPECT_EQ(failed.code(), absl::StatusCode::kInvalidArgument) << failed;
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
  const absl::Status ran = Run({{"x:0", Tensor::Scalar(3.0f)}}, "here:0");
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

TEST_F(GrpcClusterTest, ATaskThatStopsEndsTheStepThatWaitsForIt) {
  const Scope root = Scope::NewRoot().Device(kWorker);
  const Scope ps = root.Device(kPs);
  const Output queue = ops::FIFOQueueV2(ps.Named("queue"), {DType::kFloat});
  Square(root.Named("y"), ops::QueueDequeueV2(ps, queue, {DType::kFloat})[0]);
  Square(root.Named("here"), Constant(root, 3.0f));
  Open(root);
  ASSERT_TRUE(Run({}, "here:0").ok());
  absl::Status ended;
  std::thread waits([&] { ended = Run({}, "y:0"); });
  while (ps_.master->worker().steps().size() == 0) std::this_thread::yield();
  const auto before = Clock::now();
  ps_.server->Stop(1000);
  waits.join();
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(5));
  EXPECT_FALSE(ended.ok());
  EXPECT_THAT(std::string(ended.message()), HasSubstr("/job:ps"));
  const absl::Status ran = Run({}, "here:0");
  EXPECT_TRUE(ran.ok()) << ran;
  const absl::Status gone = Run({}, "y:0");
  EXPECT_EQ(gone.code(), absl::StatusCode::kUnavailable) << gone;
}

}  // namespace
}  // namespace frontend
}  // namespace warpbeam
