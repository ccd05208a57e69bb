#include "runtime/dist/remote_session.h"

#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/dist/testing/loopback.h"
#include "runtime/dist/testing/mailbox_ops.h"
#include "runtime/dist/testing/relay.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/session/testing/session_fixture.h"

namespace warpbeam {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// True once `holds` does, false when it does not for ten seconds.
// A server with toy ops, and sessions on it.
class RemoteSessionTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    remote_.session.passes = "none";
    remote_.connect_timeout_ms = 20000;
    Start(0);
  }
  void Start(int port) {
    MasterOptions options;
    options.session.passes = "none";
    options.session.simulated_gpus = 1;
    options.close_timeout_ms = 5000;
    auto master = Master::Create(options);
    ASSERT_TRUE(master.ok()) << master.status();
    master_ = *std::move(master);
    auto server = GrpcServer::Start({"localhost", port}, master_.get());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    address_ = absl::StrCat("localhost:", server_->port());
  }
  void TearDown() override {
    session_.reset();
    SessionTest::TearDown();
  }
  StatusOr<std::unique_ptr<Session>> NewSession(const std::string& address) {
    remote_.address = address;
    return NewRemoteSession(remote_, graph_);
  }
  void Open() {
    auto session = NewSession(address_);
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  void AddVariable() {
    OutputRef v = Add("VariableV2", "v", {});
    Add("Assign", "init", {v, Const("zero", 0.0f)});
    Add("AssignAdd", "inc", {v, Const("one", 1.0f)});
  }

  std::unique_ptr<Master> master_;
  std::unique_ptr<GrpcServer> server_;
  std::string address_;
  RemoteSessionOptions remote_;
};

TEST_F(RemoteSessionTest, RunsStepsAndSendsWhatIsAdded) {
  const OutputRef x = Add("Input", "x", {});
  const OutputRef y = Add("AddOne", "y", {x});
  Open();
  EXPECT_EQ(Value("y", {{"x", Tensor::Scalar(2.0f)}}), 3);
  Add("AddOne", "z", {y});
  EXPECT_EQ(Value("z:0", {{"x:0", Tensor::Scalar(2.0f)}}), 4);
  ASSERT_TRUE(session_
                  ->Extend([&](Graph&) {
                    Add("AddOne", "w", {y});
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(Value("w", {{"x", Tensor::Scalar(5.0f)}}), 7);
  // Nothing is sent, and nothing stays, of a change that fails.
  const int before = graph_->num_nodes();
  EXPECT_EQ(session_->Extend([&](Graph&) {
    Add("AddOne", "gone", {y});
    return InvalidArgument("no");
  }),
            InvalidArgument("no"));
  EXPECT_EQ(graph_->num_nodes(), before);
  // What the server refuses is taken back too: it knows no such device.
  remote_.session.allow_soft_placement = false;
  Open();
  const Status refused = session_->Extend([&](Graph&) {
    Add("AddOne", "nowhere", {y}, "/gpu:7");
    return OkStatus();
  });
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument) << refused;
  EXPECT_EQ(graph_->num_nodes(), before);
  EXPECT_EQ(Value("w", {{"x", Tensor::Scalar(5.0f)}}), 7);
  EXPECT_TRUE(session_->Prepare({"x"}, {"w"}, {}).ok());
}

// In the order asked for, however often.
TEST_F(RemoteSessionTest, FetchesComeInTheirOrder) {
  const OutputRef x = Const("x", 1.0f);
  const OutputRef y = Add("AddOne", "y", {x});
  Add("AddOne", "a", {y});
  Open();
  ASSERT_TRUE(Run({}, {"y", "a:0", "x", "y:0"}).ok());
  ASSERT_EQ(out_.size(), 4u);
  EXPECT_EQ(out_[0].scalar<float>(), 2);
  EXPECT_EQ(out_[1].scalar<float>(), 3);
  EXPECT_EQ(out_[2].scalar<float>(), 1);
  EXPECT_EQ(out_[3].scalar<float>(), 2);
  ASSERT_TRUE(Run({}, {}, {"a"}).ok());
  EXPECT_TRUE(out_.empty());
  // A caller that wants no tensors.
  EXPECT_TRUE(session_->Run({}, {}, {}, {"a"}, nullptr).ok());
}

TEST_F(RemoteSessionTest, ErrorsNameTaskAndNode) {
  Add("Fail", "bad", {Const("c", 1.0f)});
  Add("Input", "x", {});
  Open();
  const Status failed = Run({}, {"bad"});
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument) << failed;
  EXPECT_THAT(std::string(failed.message()),
              AllOf(HasSubstr("/job:localhost/replica:0/task:0"), HasSubstr("node 'bad'"),
                    HasSubstr("made to fail")));
  EXPECT_FALSE(Run({}, {"nobody"}).ok());
  const Status unfed = Run({{"x", Tensor()}}, {"x"});
  EXPECT_THAT(std::string(unfed.message()), HasSubstr("feed 'x'")) << unfed;
  EXPECT_EQ(Value("c"), 1) << "the session goes on";
}

TEST_F(RemoteSessionTest, AddressesWhereNobodyAnswers) {
  Const("c", 1.0f);
  for (const char* address : {"", "a", "a:0", ":1", "a:x", "grpc://a:1", "::1:5"}) {
    EXPECT_EQ(NewSession(address).status().code(), StatusCode::kInvalidArgument) << address;
  }
  LoopbackSocket silent;
  silent.Listen(8);
  const std::string silent_address = absl::StrCat("127.0.0.1:", silent.port());
  ASSERT_TRUE(server_->Stop(5000));  // nobody listens there any more
  remote_.connect_timeout_ms = 300;
  for (const std::string& address : {silent_address, address_}) {
    const auto before = Clock::now();
    const Status status = NewSession(address).status();
    EXPECT_LT(Clock::now() - before, std::chrono::seconds(10)) << address;
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("grpc://" + address));
  }
}

// A session waits for a server that is about to come.
TEST_F(RemoteSessionTest, WaitsForTheServer) {
  Const("c", 1.0f);
  const int port = server_->port();
  ASSERT_TRUE(server_->Stop(5000));
  server_.reset();
  StatusOr<std::unique_ptr<Session>> session;
  std::thread opens([&] { session = NewSession(address_); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  Start(port);
  opens.join();
  ASSERT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  EXPECT_EQ(Value("c"), 1);
}

TEST_F(RemoteSessionTest, AServerThatStopsEndsRunsAsUnavailable) {
  Add("Take", "take", {});
  Const("c", 1.0f);
  Open();
  Status ended;
  std::thread waits([&] { ended = Run({}, {"take"}); });
  EXPECT_TRUE(Eventually([] { return takers == 1; }));
  const int port = server_->port();
  EXPECT_TRUE(server_->Stop(5000));
  waits.join();
  EXPECT_EQ(ended.code(), StatusCode::kUnavailable) << ended;
  EXPECT_THAT(std::string(ended.message()), HasSubstr(address_));
  const Status gone = Run({}, {"c"});
  EXPECT_EQ(gone.code(), StatusCode::kUnavailable) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("grpc://" + address_));
  // One that comes in its place does not know the session.
  server_.reset();
  Start(port);
  EXPECT_TRUE(Eventually([&] { return Run({}, {"c"}).code() == StatusCode::kAborted; }));
  EXPECT_TRUE(session_->Close().ok()) << "it is closed as it is";
  Open();
  EXPECT_EQ(Value("c"), 1);
}

TEST_F(RemoteSessionTest, AConnectionThatIsCutEndsRunsAsUnavailable) {
  Add("Take", "take", {});
  Relay relay(server_->port());
  const std::string address = absl::StrCat("127.0.0.1:", relay.port());
  auto session = NewSession(address);
  ASSERT_TRUE(session.ok()) << session.status();
  session_ = *std::move(session);
  Status ended;
  std::thread waits([&] { ended = Run({}, {"take"}); });
  EXPECT_TRUE(Eventually([] { return takers == 1; }));
  relay.Cut();
  waits.join();
  EXPECT_EQ(ended.code(), StatusCode::kUnavailable) << ended;
  EXPECT_THAT(std::string(ended.message()), HasSubstr(address));
  EXPECT_TRUE(Eventually([] { return takers == 0; }));
  EXPECT_EQ(session_->Close(1000).code(), StatusCode::kUnavailable);
}

TEST_F(RemoteSessionTest, RunsAreCancelledAndTimeOut) {
  Add("Take", "take", {});
  Add("Put", "put", {Const("c", 7.0f)});
  Open();
  const Status late = Run({}, {"take"}, {}, /*timeout_ms=*/100);
  EXPECT_EQ(late.code(), StatusCode::kDeadlineExceeded) << late;
  EXPECT_THAT(std::string(late.message()), HasSubstr("take"))
      << "the server tells what was running";

  Cancellation cancellation;
  RunOptions options;
  options.cancellation = &cancellation;
  Status ended;
  std::thread waits([&] {
    std::vector<Tensor> fetched;
    ended = session_->Run(options, {}, {"take"}, {}, &fetched);
  });
  EXPECT_TRUE(Eventually([] { return takers == 1; }));
  cancellation.Cancel(Cancelled("nobody wants it"));
  waits.join();
  EXPECT_EQ(ended, Cancelled("nobody wants it"));
  EXPECT_TRUE(Eventually([] { return takers == 0; })) << "the server hears of it";
  std::vector<Tensor> fetched;
  EXPECT_EQ(session_->Run(options, {}, {"c"}, {}, &fetched).code(), StatusCode::kCancelled);
  ASSERT_TRUE(Run({}, {}, {"put"}).ok());
  EXPECT_EQ(Value("take"), 7);
  // A limit of the session's.
  remote_.session.operation_timeout_ms = 100;
  Open();
  EXPECT_EQ(Run({}, {"take"}).code(), StatusCode::kDeadlineExceeded);
}

TEST_F(RemoteSessionTest, SessionsShareVariablesUnlessIsolated) {
  AddVariable();
  Open();
  auto second = NewSession(address_);
  ASSERT_TRUE(second.ok()) << second.status();
  remote_.is_isolated = true;
  auto apart = NewSession(address_);
  ASSERT_TRUE(apart.ok()) << apart.status();
  ASSERT_TRUE(Run({}, {}, {"init"}).ok());
  EXPECT_EQ(Value("inc"), 1);
  std::vector<Tensor> fetched;
  ASSERT_TRUE((*second)->Run({}, {}, {"inc"}, {}, &fetched).ok());
  EXPECT_EQ(fetched[0].scalar<float>(), 2);
  EXPECT_EQ((*apart)->Run({}, {}, {"inc"}, {}, &fetched).code(), StatusCode::kFailedPrecondition);
  // Who closes takes nothing from the others.
  EXPECT_TRUE((*second)->Close().ok());
  apart->reset();
  EXPECT_EQ(Value("inc"), 3);
}

TEST_F(RemoteSessionTest, Callables) {
  const OutputRef x = Add("Input", "x", {});
  Add("AddOne", "y", {x});
  Open();
  Add("AddOne", "z", {x});  // since
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"y:0", "z"};
  const auto handle = session_->MakeCallable(options);
  ASSERT_TRUE(handle.ok()) << handle.status();
  RunMetadata metadata;
  const Status ran = session_->RunCallable(*handle, {Tensor::Scalar(4.0f)}, &out_, &metadata);
  ASSERT_TRUE(ran.ok()) << ran;
  ASSERT_EQ(out_.size(), 2u);
  EXPECT_EQ(out_[0].scalar<float>(), 5);
  EXPECT_EQ(out_[1].scalar<float>(), 5);
  EXPECT_EQ(session_->RunCallable(*handle, {}, &out_).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(session_->ReleaseCallable(*handle).ok());
  EXPECT_EQ(session_->ReleaseCallable(*handle).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(session_->RunCallable(*handle, {Tensor::Scalar(4.0f)}, &out_).code(),
            StatusCode::kInvalidArgument);
  options.fetch_devices["y:0"] = "/gpu:0";
  EXPECT_EQ(session_->MakeCallable(options).status().code(), StatusCode::kUnimplemented);
}

TEST_F(RemoteSessionTest, PartialRuns) {
  const OutputRef a = Add("Input", "a", {}), b = Add("Input", "b", {});
  Add("Add", "second", {Add("AddOne", "first", {a}), b});
  Open();
  const auto run = session_->PartialRunSetup({"a", "b:0"}, {"first", "second"}, {});
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_TRUE(session_->PartialRun(*run, {{"a", Tensor::Scalar(1.0f)}}, {"first"}, &out_).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 2);
  // It goes on after what cannot be computed yet.
  EXPECT_EQ(session_->PartialRun(*run, {}, {"second"}, &out_).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(session_->PartialRun(*run, {{"b", Tensor::Scalar(10.0f)}}, {"second"}, &out_).ok());
  EXPECT_EQ(out_[0].scalar<float>(), 12);
  EXPECT_FALSE(session_->PartialRun(*run, {}, {"second"}, &out_).ok()) << "it is over";
  EXPECT_EQ(session_->PartialRun("", {}, {"first"}, &out_).code(), StatusCode::kInvalidArgument);
}

TEST_F(RemoteSessionTest, CloseEndsWhatRunsAndRefusesWhatComes) {
  Add("Take", "take", {});
  Const("c", 1.0f);
  Open();
  Status ended;
  std::thread waits([&] { ended = Run({}, {"take"}); });
  EXPECT_TRUE(Eventually([] { return takers == 1; }));
  EXPECT_TRUE(session_->Close().ok());
  waits.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled) << ended;
  EXPECT_TRUE(Eventually([] { return takers == 0; }));
  EXPECT_EQ(Run({}, {"c"}).code(), StatusCode::kCancelled);
  EXPECT_TRUE(session_->Close().ok());
}

// Feeds and fetches beyond what gRPC takes by default.
TEST_F(RemoteSessionTest, LargeTensorsPass) {
  Tensor large = *Tensor::Allocate(DType::kFloat, Shape({3000, 1000}));
  for (int64_t i = 0; i < large.num_elements(); ++i) {
    large.data<float>()[i] = static_cast<float>(i % 1000);
  }
  Add("Big", "y", {Add("Big", "x", {Const("one", 1.0f)})});  // which say nothing of their shapes
  Open();
  ASSERT_TRUE(Run({{"x", large}}, {"y"}).ok());
  ASSERT_EQ(out_[0].shape(), large.shape());
  for (int64_t i = 0; i < large.num_elements(); ++i) {
    ASSERT_EQ(out_[0].data<float>()[i], static_cast<float>(i % 1000 + 1)) << i;
  }
}

TEST_F(RemoteSessionTest, TellsDevicesAndWhatRan) {
  Add("AddOne", "y", {Const("c", 1.0f)});
  Open();
  EXPECT_THAT(session_->DeviceNames(), ElementsAre("/job:localhost/replica:0/task:0/device:CPU:0",
                                                   "/job:localhost/replica:0/task:0/device:GPU:0"));
  RunOptions options;
  options.trace = TraceLevel::kFull;
  options.partition_graphs = true;
  ASSERT_TRUE(session_->Run(options, {}, {"y"}, {}, &out_, &metadata_).ok());
  EXPECT_GE(metadata_.nodes_executed, 1);
  bool has_y = false;
  for (const NodeStats& node : metadata_.step_stats.nodes) {
    if (node.node != "y" || node.is_copy) continue;
    has_y = true;
    EXPECT_EQ(node.op, "AddOne");
    EXPECT_THAT(std::string(node.device), HasSubstr("/job:localhost/replica:0/task:0/device:"));
    EXPECT_LE(node.start_ns, node.end_ns);
    ASSERT_EQ(node.outputs.size(), 1u);
    EXPECT_EQ(node.outputs[0].dtype, DType::kFloat);
  }
  EXPECT_TRUE(has_y);
  EXPECT_FALSE(metadata_.partition_graphs.empty());
  ASSERT_TRUE(Run({}, {"y"}).ok());
  EXPECT_TRUE(metadata_.step_stats.nodes.empty()) << "nobody asked for it";
  options.cost_graph = true;
  EXPECT_EQ(session_->Run(options, {}, {"y"}, {}, &out_, &metadata_).code(),
            StatusCode::kUnimplemented);
  EXPECT_EQ(session_->Placement().status().code(), StatusCode::kUnimplemented);
}

TEST_F(RemoteSessionTest, RefusesWhatAServerDoesNotPromise) {
  Const("c", 1.0f);
  remote_.session.deterministic = true;
  EXPECT_EQ(NewSession(address_).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace warpbeam
