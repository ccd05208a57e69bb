// A ps and a worker that are servers on this machine: steps over both, large tensors, errors, and a
// task that stops.
#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "frontend/ops/array_ops.h"
#include "frontend/ops/data_flow_ops.h"
#include "frontend/ops/state_ops.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "graph/io/graph_export.h"
#include "graph/io/tensor_io.h"
#include "gtest/gtest.h"
#include "proto/master_service.grpc.pb.h"
#include "runtime/dist/cluster_spec.h"
#include "runtime/dist/grpc_peers.h"
#include "runtime/dist/grpc_server.h"

namespace warpbeam {
namespace frontend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr char kWorker[] = "/job:worker/task:0";
constexpr char kPs[] = "/job:ps/task:0";

// A port that nobody listens on.
int FreePort() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(socket);
  return ntohs(address.sin_port);
}

struct Task {
  std::unique_ptr<Master> master;
  std::unique_ptr<GrpcServer> server;
};

class GrpcClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cluster_.jobs["ps"] = {absl::StrCat("localhost:", FreePort())};
    cluster_.jobs["worker"] = {absl::StrCat("localhost:", FreePort())};
    Start("ps", &ps_);
    Start("worker", &worker_);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    stub_ = tensorflow::MasterService::NewStub(grpc::CreateCustomChannel(
        cluster_.jobs["worker"][0], grpc::InsecureChannelCredentials(), arguments));
  }
  void Start(const std::string& job, Task* task) {
    MasterOptions options;
    options.session.job = job;
    options.close_timeout_ms = 2000;
    options.peers = NewGrpcPeers(cluster_);
    auto master = Master::Create(options);
    ASSERT_TRUE(master.ok()) << master.status();
    task->master = *std::move(master);
    const auto port = PortOf(cluster_.jobs[job][0]);
    ASSERT_TRUE(port.ok()) << port.status();
    auto server = GrpcServer::Start({"localhost", *port}, task->master.get());
    ASSERT_TRUE(server.ok()) << server.status();
    task->server = *std::move(server);
  }
  void Open(const Scope& root) {
    ASSERT_TRUE(root.status().ok()) << root.status();
    tensorflow::CreateSessionRequest request;
    ASSERT_TRUE(ExportGraphDef(*root.graph(), request.mutable_graph_def()).ok());
    tensorflow::CreateSessionResponse response;
    grpc::ClientContext context;
    const grpc::Status opened = stub_->CreateSession(&context, request, &response);
    ASSERT_TRUE(opened.ok()) << opened.error_message();
    session_ = response.session_handle();
  }
  absl::Status Run(const NamedTensors& feeds, const std::string& fetch,
                   const std::vector<std::string>& targets = {}) {
    tensorflow::RunStepRequest request;
    request.set_session_handle(session_);
    for (const auto& [name, value] : feeds) {
      tensorflow::NamedTensorProto* const feed = request.add_feed();
      feed->set_name(name);
      WB_RETURN_IF_ERROR(TensorToProto(value, TensorForm::kContent, feed->mutable_tensor()));
    }
    if (!fetch.empty()) request.add_fetch(fetch);
    for (const std::string& target : targets) request.add_target(target);
    tensorflow::RunStepResponse response;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    const grpc::Status ran = stub_->RunStep(&context, request, &response);
    if (!ran.ok()) {
      return absl::Status(static_cast<absl::StatusCode>(ran.error_code()), ran.error_message());
    }
    if (fetch.empty()) return absl::OkStatus();
    WB_ASSIGN_OR_RETURN(fetched_, TensorFromProto(response.tensor(0).tensor()));
    return absl::OkStatus();
  }

  ClusterSpec cluster_;
  Task ps_, worker_;
  std::unique_ptr<tensorflow::MasterService::Stub> stub_;
  std::string session_;
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
