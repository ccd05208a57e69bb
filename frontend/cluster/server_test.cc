#include "frontend/cluster/server.h"

#include <chrono>
#include <thread>

#include "absl/strings/str_cat.h"
#include "frontend/warpbeam.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"

namespace warpbeam {
namespace frontend {
namespace train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

SessionConfig ConfigFor(const Server& server) {
  SessionConfig config;
  config.target = server.target();
  return config;
}

// A server that runs graphs alone.
class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = Server::CreateLocal();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, RunsTheSessionsOfPrograms) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), 2.0f);
  const Output x = Placeholder(root, DType::kFloat, PartialShape(Shape()));
  const Output y = Multiply(root, w.read(), x);
  ClientSession session(root, ConfigFor(*server_));
  ASSERT_TRUE(session.status().ok()) << session.status();
  ASSERT_TRUE(session.Run({GlobalVariablesInitializer(root)}).ok()) << "built since";
  const auto out = session.Run({{x, Tensor::Scalar(3.0f)}}, {y, x});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 6);
  EXPECT_EQ((*out)[1].scalar<float>(), 3);
  EXPECT_EQ(session.DeviceNames().size(), 1u);
}

TEST_F(ServerTest, TensorsOfAllTypesPass) {
  const Scope root = Scope::NewRoot();
  const DType kTypes[] = {DType::kFloat,  DType::kDouble,    DType::kHalf,       DType::kBFloat16,
                          DType::kInt8,   DType::kInt16,     DType::kInt32,      DType::kInt64,
                          DType::kUInt8,  DType::kUInt16,    DType::kUInt32,     DType::kUInt64,
                          DType::kBool,   DType::kComplex64, DType::kComplex128, DType::kQInt8,
                          DType::kQUInt8, DType::kQInt32};
  ClientSession session(root, ConfigFor(*server_));
  for (const DType type : kTypes) {
    const Output x = Placeholder(root, type, PartialShape::UnknownOfRank(1));
    Tensor value = *Tensor::Allocate(type, Shape({5}));
    auto* const bytes = static_cast<unsigned char*>(const_cast<void*>(value.raw_data()));
    for (size_t i = 0; i < value.bytes(); ++i) bytes[i] = type == DType::kBool ? i % 2 : i % 60;
    const auto out = session.Run({{x, value}}, {Identity(root, x)});
    ASSERT_TRUE(out.ok()) << DTypeName(type) << ": " << out.status();
    ASSERT_EQ((*out)[0].dtype(), type);
    ASSERT_EQ((*out)[0].shape(), value.shape());
    EXPECT_EQ(std::memcmp((*out)[0].raw_data(), value.raw_data(), value.bytes()), 0)
        << DTypeName(type);
  }
  const Output x = Placeholder(root, DType::kString, PartialShape::Unknown());
  Tensor words = *Tensor::Allocate(DType::kString, Shape({2, 2}));
  words.data<std::string>()[0] = std::string("a\0b", 3);
  words.data<std::string>()[3] = std::string(100'000, '\xff');
  const auto out = session.Run({{x, words}}, {Identity(root, x)});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ((*out)[0].shape(), words.shape());
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ((*out)[0].data<std::string>()[i], words.data<std::string>()[i]) << i;
  }
  // A scalar and an empty one.
  const Output y = Placeholder(root, DType::kInt64, PartialShape::Unknown());
  const Output same = Identity(root, y);
  const auto scalar = session.Run({{y, Tensor::Scalar(int64_t{-7})}}, {same});
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ((*scalar)[0].scalar<int64_t>(), -7);
  const auto empty = session.Run({{y, *Tensor::Allocate(DType::kInt64, Shape({0, 3}))}}, {same});
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_EQ((*empty)[0].shape(), Shape({0, 3}));
}

TEST_F(ServerTest, SessionsShareVariablesUnlessIsolated) {
  const Scope root = Scope::NewRoot();
  const Variable w(root.Named("w"), 1.0f);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession other(root, ConfigFor(*server_));
  {
    ClientSession session(root, ConfigFor(*server_));
    ASSERT_TRUE(session.Run({init}).ok());
    ASSERT_TRUE(session.Close().ok());
  }
  const auto out = other.Run({w});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 1);
  SessionConfig config = ConfigFor(*server_);
  config.isolate_session_state = true;
  ClientSession apart(root, config);
  EXPECT_EQ(apart.Run({w}).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(ServerTest, AResetEmptiesContainersAndClosesSessions) {
  const Scope root = Scope::NewRoot();
  const Variable kept(root.Named("kept"), 2.0f);
  const Variable gone(root.Container("gone").Named("gone"), 3.0f);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root, ConfigFor(*server_));
  ASSERT_TRUE(session.Run({init}).ok()) << session.status();
  const Status reset = ClientSession::Reset(server_->target(), {"gone"});
  ASSERT_TRUE(reset.ok()) << reset;
  EXPECT_EQ(session.Run({kept}).status().code(), StatusCode::kAborted);
  ClientSession again(root, ConfigFor(*server_));
  const auto value = again.Run({kept});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ((*value)[0].scalar<float>(), 2);
  EXPECT_EQ(again.Run({gone}).status().code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(ClientSession::Reset(server_->target()).ok());
  ClientSession last(root, ConfigFor(*server_));
  EXPECT_EQ(last.Run({kept}).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(ClientSession::Reset("").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(ClientSession::Reset("there").code(), StatusCode::kInvalidArgument);
}

TEST_F(ServerTest, TargetsThatAreNone) {
  const Scope root = Scope::NewRoot();
  SessionConfig config;
  config.operation_timeout_in_ms = 200;
  for (const char* target : {"localhost:2222", "grpc://", "grpc://localhost", "http://a:1"}) {
    config.target = target;
    EXPECT_EQ(ClientSession(root, config).status().code(), StatusCode::kInvalidArgument) << target;
  }
  config.target = absl::StrCat("grpc://localhost:", FreePort());
  const auto before = Clock::now();
  ClientSession session(root, config);
  EXPECT_LT(Clock::now() - before, std::chrono::seconds(10));
  EXPECT_EQ(session.status().code(), StatusCode::kUnavailable) << session.status();
  EXPECT_THAT(std::string(session.status().message()), HasSubstr(config.target));
  EXPECT_EQ(session.Run({Constant(root, 1.0f)}).status().code(), StatusCode::kUnavailable);
}

TEST_F(ServerTest, JoinEndsWhenTheServerStops) {
  std::thread joins([&] { server_->Join(); });
  EXPECT_TRUE(server_->Stop().ok());
  joins.join();
  EXPECT_TRUE(server_->Stop().ok());
  server_->Join();
}

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::string> free = FreeAddresses(2);
    const auto cluster = ClusterSpec::Create({{"ps", {free[0]}}, {"worker", {free[1]}}});
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    cluster_ = *cluster;
  }

  ClusterSpec cluster_;
};

// "localhost" may be another address, where another program has the port.
TEST_F(ClusterTest, ATargetNamesTheAddressThatTheTaskListensOn) {
  const std::string address = absl::StrCat("127.0.0.1:", FreePort());
  const auto cluster = ClusterSpec::Create({{"worker", {address}}});
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  const auto server = Server::Create(*cluster, "worker", 0);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ((*server)->target(), "grpc://" + address);
  const Scope root = Scope::NewRoot();
  ClientSession session(root, ConfigFor(**server));
  EXPECT_TRUE(session.status().ok()) << session.status();
}

TEST_F(ClusterTest, APsKeepsWhatWorkersTrain) {
  const auto ps = Server::Create(cluster_, "ps", 0);
  ASSERT_TRUE(ps.ok()) << ps.status();
  const auto worker = Server::Create(cluster_, "worker", 0);
  ASSERT_TRUE(worker.ok()) << worker.status();
  EXPECT_EQ((*worker)->target(), "grpc://" + *cluster_.task_address("worker", 0));
  const Scope root = Scope::NewRoot();
  const Variable w(root.Device("/job:ps/task:0").Named("w"), 4.0f);
  const Output loss = Square(root.Device("/job:worker/task:0"), w.read());
  GradientDescentOptimizer optimizer(0.25f);
  const Operation train = optimizer.Minimize(root, loss);
  const Operation init = GlobalVariablesInitializer(root);
  ClientSession session(root, ConfigFor(**worker));
  ASSERT_TRUE(session.status().ok()) << session.status();
  EXPECT_EQ(session.DeviceNames().size(), 2u);
  ASSERT_TRUE(session.Run({init}).ok());
  for (int i = 0; i < 2; ++i) {
    const auto ran = session.Run({train});
    ASSERT_TRUE(ran.ok()) << ran.status();
  }
  const auto out = session.Run({w});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].scalar<float>(), 1);
}

TEST_F(ClusterTest, TasksThatAreNone) {
  EXPECT_EQ(Server::Create(cluster_, "chief", 0).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Server::Create(cluster_, "ps", 1).status().code(), StatusCode::kNotFound);
  ServerOptions options;
  options.allow = "everything";
  EXPECT_EQ(Server::Create(cluster_, "ps", 0, options).status().code(),
            StatusCode::kInvalidArgument);
  const auto first = Server::Create(cluster_, "ps", 0);
  ASSERT_TRUE(first.ok()) << first.status();
  const Status second = Server::Create(cluster_, "ps", 0).status();
  EXPECT_EQ(second.code(), StatusCode::kUnavailable) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr(*cluster_.task_address("ps", 0)));
}

}  // namespace
}  // namespace train
}  // namespace frontend
}  // namespace warpbeam
