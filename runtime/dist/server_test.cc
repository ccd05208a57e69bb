#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "gmock/gmock.h"
#include "graph/io/graph_export.h"
#include "proto/master_service.grpc.pb.h"
#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/dist/listening.h"
#include "runtime/dist/testing/mailbox_ops.h"
#include "runtime/dist/testing/relay.h"
#include "runtime/session/testing/session_fixture.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// True once `holds` does, false when it does not for ten seconds.
// A server with toy ops and a client that speaks to it over a socket.
class ServerTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    MasterOptions options;
    options.session.passes = "none";
    options.session.simulated_gpus = 1;
    options.close_timeout_ms = 5000;
    auto master = Master::Create(options);
    ASSERT_TRUE(master.ok()) << master.status();
    master_ = *std::move(master);
    auto server = GrpcServer::Start({}, master_.get());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const auto channel = NewChannel();
    stub_ = tensorflow::MasterService::NewStub(channel);
    worker_ = tensorflow::WorkerService::NewStub(channel);
  }

  // With a connection of its own.
  std::shared_ptr<grpc::Channel> NewChannel() { return NewChannel(server_->port()); }
  std::shared_ptr<grpc::Channel> NewChannel(int port) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(-1);
    return grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", port),
                                     grpc::InsecureChannelCredentials(), arguments);
  }
  // The nodes added since the last call, as a client sends them.
  tensorflow::GraphDef NewNodes() {
    tensorflow::GraphDef all, fresh;
    EXPECT_TRUE(ExportGraphDef(*graph_, &all).ok());
    for (int i = sent_; i < all.node_size(); ++i) *fresh.add_node() = all.node(i);
    *fresh.mutable_versions() = all.versions();
    sent_ = all.node_size();
    return fresh;
  }
  std::string Open(const std::function<void(tensorflow::ConfigProto*)>& configure = {}) {
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = NewNodes();
    request.mutable_config()->set_allow_soft_placement(true);
    if (configure) configure(request.mutable_config());
    tensorflow::CreateSessionResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub_->CreateSession(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.session_handle();
  }
  grpc::Status Extend(const std::string& session, int64_t version,
                      const tensorflow::GraphDef& nodes, int64_t* now) {
    tensorflow::ExtendSessionRequest request;
    request.set_session_handle(session);
    request.set_current_graph_version(version);
    *request.mutable_graph_def() = nodes;
    tensorflow::ExtendSessionResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub_->ExtendSession(&context, request, &response);
    *now = response.new_graph_version();
    return status;
  }
  tensorflow::RunStepRequest Request(const std::string& session,
                                     const std::vector<std::string>& fetches,
                                     const std::vector<std::string>& targets = {}) {
    tensorflow::RunStepRequest request;
    request.set_session_handle(session);
    for (const std::string& f : fetches) request.add_fetch(f);
    for (const std::string& t : targets) request.add_target(t);
    request.set_store_errors_in_response_body(true);
    return request;
  }
  void Feed(const std::string& name, float value, tensorflow::RunStepRequest* request) {
    tensorflow::NamedTensorProto* feed = request->add_feed();
    feed->set_name(name);
    EXPECT_TRUE(
        TensorToProto(Tensor::Scalar(value), TensorForm::kContent, feed->mutable_tensor()).ok());
  }
  grpc::Status Step(const tensorflow::RunStepRequest& request) {
    grpc::ClientContext context;
    return stub_->RunStep(&context, request, &response_);
  }
  float Fetched(int i = 0) {
    auto tensor = TensorFromProto(response_.tensor(i).tensor());
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return tensor.ok() ? tensor->scalar<float>() : -1;
  }
  void AddVariable() {
    OutputRef v = Add("VariableV2", "v", {});
    Add("Assign", "init", {v, Const("zero", 0.0f)});
    Add("AssignAdd", "inc", {v, Const("one", 1.0f)});
  }
  grpc::Status CloseSession(const std::string& session) {
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(session);
    tensorflow::CloseSessionResponse response;
    grpc::ClientContext context;
    return stub_->CloseSession(&context, request, &response);
  }

  int sent_ = 0;
  std::unique_ptr<Master> master_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<tensorflow::MasterService::Stub> stub_;
  std::unique_ptr<tensorflow::WorkerService::Stub> worker_;
  tensorflow::RunStepResponse response_;
};

TEST_F(ServerTest, RunsStepsAndGrowsTheGraph) {
  OutputRef x = Add("Input", "x", {});
  Add("AddOne", "y", {x});
  const std::string session = Open();
  EXPECT_EQ(session.size(), 16u);
  auto request = Request(session, {"y:0"});
  Feed("x:0", 2, &request);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), 0) << response_.status_error_message();
  ASSERT_EQ(response_.tensor_size(), 1);
  EXPECT_EQ(response_.tensor(0).name(), "y:0");
  EXPECT_EQ(Fetched(), 3);
  EXPECT_TRUE(response_.has_metadata());

  Add("AddOne", "z", {{1, 0}});
  const tensorflow::GraphDef more = NewNodes();
  int64_t version = 0;
  ASSERT_TRUE(Extend(session, 0, more, &version).ok());
  EXPECT_EQ(version, 1);
  request = Request(session, {"z:0", "y:0"});
  Feed("x:0", 2, &request);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(Fetched(0), 4);
  EXPECT_EQ(Fetched(1), 3);
  // A version that is not the newest, and nodes that are there already.
  EXPECT_EQ(Extend(session, 0, more, &version).error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(Extend(session, 1, more, &version).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(Fetched(0), 4);
}

TEST_F(ServerTest, ErrorsThatHoldBytesCanBeReadByClients) {
  Add("FailAtLength", "bad", {Const("c", 1.0f)});
  auto request = Request(Open(), {"bad:0"});
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::INVALID_ARGUMENT);
  EXPECT_THAT(response_.status_error_message(), HasSubstr("\\224xxx"));
  EXPECT_THAT(response_.status_error_message(), HasSubstr("[[{{node bad}}]]"));
  EXPECT_LT(response_.status_error_message().size(), 5000u);
}

TEST_F(ServerTest, ErrorsComeInTheBodyOrAsStatus) {
  Add("Fail", "bad", {Const("c", 1.0f)});
  const std::string session = Open();
  auto request = Request(session, {"bad:0"});
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::INVALID_ARGUMENT);
  EXPECT_THAT(response_.status_error_message(),
              StartsWith("From /job:localhost/replica:0/task:0:\n"));
  EXPECT_THAT(response_.status_error_message(), HasSubstr("[[{{node bad}}]]"));
  request.set_store_errors_in_response_body(false);
  const grpc::Status status = Step(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("made to fail"));
  request = Request("0123456789abcdef", {"bad:0"});
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::ABORTED);
  request.set_store_errors_in_response_body(false);
  EXPECT_EQ(Step(request).error_code(), grpc::StatusCode::ABORTED);
  // A call that is not here.
  grpc::ClientContext context;
  tensorflow::TracingResponse traced;
  EXPECT_EQ(worker_->Tracing(&context, {}, &traced).error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

// A large fetch is sent from the variable's own memory, and the variable goes on.
TEST_F(ServerTest, LargeFetches) {
  Tensor large = *Tensor::Allocate(DType::kFloat, Shape({300, 1000}));
  for (int64_t i = 0; i < large.num_elements(); ++i) large.data<float>()[i] = 1;
  OutputRef v = Add("VariableV2", "v", {});
  OutputRef one = Const("one", 1.0f);
  Add("Assign", "init", {v, Add("Big", "x", {one})});  // Big says nothing of its shape
  Add("AssignAdd", "inc", {v, one});
  const std::string session = Open();
  auto request = Request(session, {"init:0"});
  tensorflow::NamedTensorProto* feed = request.add_feed();
  feed->set_name("x:0");
  ASSERT_TRUE(TensorToProto(large, TensorForm::kContent, feed->mutable_tensor()).ok());
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), 0) << response_.status_error_message();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(Step(Request(session, {"v:0", "one:0"})).ok());
    ASSERT_EQ(response_.tensor_size(), 2) << response_.status_error_message();
    const Tensor back = *TensorFromProto(response_.tensor(0).tensor());
    EXPECT_EQ(back.shape(), large.shape());
    EXPECT_EQ(back.data<float>()[0], i);
    EXPECT_EQ(back.data<float>()[299999], 1);
    ASSERT_TRUE(Step(Request(session, {}, {"inc"})).ok());
  }
}

// A request that comes twice is run once, whatever became of it and whichever session it is for.
TEST_F(ServerTest, RequestsWithANumberThatCameBeforeAreAborted) {
  AddVariable();
  const std::string session = Open();
  ASSERT_TRUE(Step(Request(session, {}, {"init"})).ok());
  auto request = Request(session, {"inc:0"});
  request.set_request_id(77);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(Fetched(), 1);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::ABORTED);
  EXPECT_THAT(response_.status_error_message(), HasSubstr("received before"));
  request.set_store_errors_in_response_body(false);
  EXPECT_EQ(Step(request).error_code(), grpc::StatusCode::ABORTED);
  sent_ = 0;
  request.set_session_handle(Open());
  EXPECT_EQ(Step(request).error_code(), grpc::StatusCode::ABORTED);
  request.set_request_id(78);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(Fetched(), 2);
  request.set_request_id(0);
  for (float expected : {3.0f, 4.0f}) {
    ASSERT_TRUE(Step(request).ok());
    EXPECT_EQ(Fetched(), expected);
  }
}

// However a client goes, the step that it waits for ends and takes nothing that comes later.
TEST_F(ServerTest, StepsOfClientsThatGoAreCancelled) {
  Add("Take", "take", {});
  Add("Put", "put", {Const("c", 7.0f)});
  const std::string session = Open();
  const auto request = Request(session, {"take:0"});
  const auto over = [&] { return takers == 0 && server_->calls_under_way() == 0; };

  // A deadline of the call, not of the step.
  grpc::ClientContext hurried;
  hurried.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  EXPECT_EQ(stub_->RunStep(&hurried, request, &response_).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually(over));

  // A call that is cancelled.
  grpc::ClientContext context;
  std::thread waits([&] {
    tensorflow::RunStepResponse response;
    EXPECT_EQ(stub_->RunStep(&context, request, &response).error_code(),
              grpc::StatusCode::CANCELLED);
  });
  EXPECT_TRUE(Eventually([] { return takers == 1; }));
  context.TryCancel();
  waits.join();
  EXPECT_TRUE(Eventually(over));

  // A connection that is cut.
  {
    Relay relay(server_->port());
    std::thread cut([&] {
      tensorflow::RunStepResponse response;
      grpc::ClientContext own;
      EXPECT_EQ(tensorflow::MasterService::NewStub(NewChannel(relay.port()))
                    ->RunStep(&own, request, &response)
                    .error_code(),
                grpc::StatusCode::UNAVAILABLE);
    });
    EXPECT_TRUE(Eventually([] { return takers == 1; }));
    relay.Cut();
    cut.join();
  }
  EXPECT_TRUE(Eventually(over));

  // Many clients at once.
  constexpr int kClients = 40;
  {
    struct Asked {
      grpc::ClientContext context;
      grpc::Status status;
      tensorflow::RunStepResponse response;
      std::unique_ptr<grpc::ClientAsyncResponseReader<tensorflow::RunStepResponse>> reader;
    };
    grpc::CompletionQueue queue;
    std::vector<std::unique_ptr<Asked>> asked;
    for (int i = 0; i < kClients; ++i) {
      auto stub = tensorflow::MasterService::NewStub(NewChannel());
      Asked& a = *asked.emplace_back(std::make_unique<Asked>());
      a.reader = stub->AsyncRunStep(&a.context, request, &queue);
      a.reader->Finish(&a.response, &a.status, &a);
    }
    EXPECT_TRUE(Eventually([] { return takers == kClients; }));
    EXPECT_EQ(server_->calls_under_way(), kClients);
    for (const auto& a : asked) a->context.TryCancel();
    queue.Shutdown();
    void* tag = nullptr;
    for (bool ok = false; queue.Next(&tag, &ok);) continue;
  }
  EXPECT_TRUE(Eventually(over));

  // The session goes on, and what is put now is there for who takes it next.
  ASSERT_TRUE(Step(Request(session, {}, {"put"})).ok());
  EXPECT_EQ(response_.status_code(), 0) << response_.status_error_message();
  ASSERT_TRUE(Step(request).ok());
  ASSERT_EQ(response_.tensor_size(), 1) << response_.status_error_message();
  EXPECT_EQ(Fetched(), 7);
}

TEST_F(ServerTest, PartialRunsOfClientsThatGoAreCancelled) {
  OutputRef a = Add("Input", "a", {});
  Add("Add", "sum", {a, Add("Take", "take", {})});
  const std::string session = Open();
  tensorflow::PartialRunSetupRequest setup;
  setup.set_session_handle(session);
  setup.add_feed("a:0");
  setup.add_fetch("sum:0");
  tensorflow::PartialRunSetupResponse handle;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->PartialRunSetup(&context, setup, &handle).ok());
  auto request = Request(session, {"sum:0"});
  request.set_partial_run_handle(handle.partial_run_handle());
  Feed("a:0", 1, &request);
  grpc::ClientContext hurried;
  hurried.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  EXPECT_EQ(stub_->RunStep(&hurried, request, &response_).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return takers == 0 && server_->calls_under_way() == 0; }));
  // The run is over.
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::INVALID_ARGUMENT);
  ASSERT_TRUE(CloseSession(session).ok());
}

TEST_F(ServerTest, CallablesOfClientsThatGoAreCancelled) {
  Add("Take", "take", {});
  const std::string session = Open();
  tensorflow::MakeCallableRequest make;
  make.set_session_handle(session);
  make.mutable_options()->add_fetch("take:0");
  tensorflow::MakeCallableResponse made;
  grpc::ClientContext context, hurried;
  ASSERT_TRUE(stub_->MakeCallable(&context, make, &made).ok());
  tensorflow::RunCallableRequest run;
  run.set_session_handle(session);
  run.set_handle(made.handle());
  tensorflow::RunCallableResponse result;
  hurried.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  EXPECT_EQ(stub_->RunCallable(&hurried, run, &result).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return takers == 0 && server_->calls_under_way() == 0; }));
}

TEST_F(ServerTest, SessionsShareVariablesUnlessIsolatedUntilAReset) {
  AddVariable();
  const std::string first = Open();
  sent_ = 0;
  const std::string second = Open();
  sent_ = 0;
  const std::string apart =
      Open([](tensorflow::ConfigProto* config) { config->set_isolate_session_state(true); });
  ASSERT_TRUE(Step(Request(first, {}, {"init"})).ok());
  EXPECT_EQ(response_.status_code(), 0) << response_.status_error_message();
  ASSERT_TRUE(Step(Request(second, {"inc:0"})).ok());
  EXPECT_EQ(Fetched(), 1);
  ASSERT_TRUE(Step(Request(apart, {"inc:0"})).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::FAILED_PRECONDITION);
  // Variables outlive the sessions, but not a reset.
  ASSERT_TRUE(CloseSession(first).ok());
  EXPECT_EQ(CloseSession(first).error_code(), grpc::StatusCode::ABORTED);
  // Whatever a client takes for a handle, an answer is no copy of it.
  ASSERT_TRUE(Step(Request(std::string(100'000, 'h'), {"x"})).ok());
  EXPECT_LT(response_.status_error_message().size(), 1000u);
  ASSERT_TRUE(Step(Request(second, {"inc:0"})).ok());
  EXPECT_EQ(Fetched(), 2);
  grpc::ClientContext context;
  tensorflow::ResetResponse reset;
  ASSERT_TRUE(stub_->Reset(&context, {}, &reset).ok());
  ASSERT_TRUE(Step(Request(second, {"inc:0"})).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::ABORTED);
  sent_ = 0;
  ASSERT_TRUE(Step(Request(Open(), {"inc:0"})).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::FAILED_PRECONDITION);
}

TEST_F(ServerTest, ListsDevices) {
  tensorflow::ListDevicesResponse devices;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->ListDevices(&context, {}, &devices).ok());
  ASSERT_EQ(devices.local_device_size(), 2);
  EXPECT_EQ(devices.local_device(0).name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(devices.local_device(1).device_type(), "GPU");
  EXPECT_NE(devices.local_device(0).incarnation(), 0u);
  tensorflow::GetStatusResponse worker;
  grpc::ClientContext second;
  ASSERT_TRUE(worker_->GetStatus(&second, {}, &worker).ok());
  EXPECT_EQ(worker.device_attributes(1).incarnation(), devices.local_device(1).incarnation());
}

TEST_F(ServerTest, PartialRuns) {
  OutputRef a = Add("Input", "a", {}), b = Add("Input", "b", {});
  OutputRef first = Add("AddOne", "first", {a});
  Add("Add", "second", {first, b});
  const std::string session = Open();
  tensorflow::PartialRunSetupRequest setup;
  setup.set_session_handle(session);
  for (const char* feed : {"a:0", "b:0"}) setup.add_feed(feed);
  for (const char* fetch : {"first:0", "second:0"}) setup.add_fetch(fetch);
  tensorflow::PartialRunSetupResponse handle;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->PartialRunSetup(&context, setup, &handle).ok());
  auto request = Request(session, {"first:0"});
  request.set_partial_run_handle(handle.partial_run_handle());
  Feed("a:0", 1, &request);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(Fetched(), 2);
  request = Request(session, {"second:0"});
  request.set_partial_run_handle(handle.partial_run_handle());
  Feed("b:0", 10, &request);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(Fetched(), 12);
}

TEST_F(ServerTest, Callables) {
  Add("AddOne", "y", {Add("Input", "x", {})});
  const std::string session = Open();
  tensorflow::MakeCallableRequest make;
  make.set_session_handle(session);
  make.mutable_options()->add_feed("x:0");
  make.mutable_options()->add_fetch("y:0");
  tensorflow::MakeCallableResponse made;
  grpc::ClientContext c1;
  ASSERT_TRUE(stub_->MakeCallable(&c1, make, &made).ok());
  tensorflow::RunCallableRequest run;
  run.set_session_handle(session);
  run.set_handle(made.handle());
  ASSERT_TRUE(TensorToProto(Tensor::Scalar(4.0f), TensorForm::kContent, run.add_feed()).ok());
  tensorflow::RunCallableResponse result;
  grpc::ClientContext c2;
  ASSERT_TRUE(stub_->RunCallable(&c2, run, &result).ok());
  EXPECT_EQ(TensorFromProto(result.fetch(0))->scalar<float>(), 5);
  tensorflow::ReleaseCallableRequest release;
  release.set_session_handle(session);
  release.set_handle(made.handle());
  tensorflow::ReleaseCallableResponse released;
  grpc::ClientContext c3, c4;
  ASSERT_TRUE(stub_->ReleaseCallable(&c3, release, &released).ok());
  EXPECT_EQ(stub_->RunCallable(&c4, run, &result).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServerTest, MetadataHasWhatTheClientAskedFor) {
  Add("AddOne", "y", {Const("c", 1.0f)});
  const std::string session = Open();
  auto request = Request(session, {"y:0"});
  request.mutable_options()->set_trace_level(tensorflow::RunOptions::FULL_TRACE);
  request.mutable_options()->set_output_partition_graphs(true);
  ASSERT_TRUE(Step(request).ok());
  ASSERT_GE(response_.metadata().step_stats().dev_stats_size(), 1);
  ASSERT_GE(response_.metadata().partition_graphs_size(), 1);
  EXPECT_FALSE(response_.metadata().has_cost_graph());
  ASSERT_TRUE(Step(Request(session, {"y:0"})).ok());
  EXPECT_FALSE(response_.metadata().has_step_stats()) << "nobody asked for it";
}

// Deadlines and a stop end steps that wait for ever.
TEST_F(ServerTest, StepsThatWaitEnd) {
  Add("Waits", "x", {Const("c", 1.0f)});
  const std::string session = Open();
  auto request = Request(session, {"x:0"});
  request.mutable_options()->set_timeout_in_ms(50);
  ASSERT_TRUE(Step(request).ok());
  EXPECT_EQ(response_.status_code(), tensorflow::error::DEADLINE_EXCEEDED);
  request.clear_options();
  std::thread waits([&] {
    tensorflow::RunStepResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub_->RunStep(&context, request, &response);
    EXPECT_TRUE(!status.ok() || response.status_code() == tensorflow::error::UNAVAILABLE)
        << response.status_error_message();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(server_->Stop(5000));
  waits.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// Kernels that do not end although they are told to, in several sessions, with a deadline and
// without.
TEST_F(ServerTest, StopsInTimeHoweverManyKernelsAreLost) {
  Add("Stuck", "x", {Const("c", 1.0f)});
  stuck_begun = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    sent_ = 0;
    auto request = Request(Open(), {"x:0"});
    if (i == 0) request.mutable_options()->set_timeout_in_ms(50);
    clients.emplace_back([this, request] {
      tensorflow::RunStepResponse response;
      grpc::ClientContext context;
      const grpc::Status status = stub_->RunStep(&context, request, &response);
      EXPECT_TRUE(!status.ok() || response.status_code() != tensorflow::error::OK);
    });
  }
  ASSERT_TRUE(Eventually([] { return stuck_begun == 3; }));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(server_->Stop(500));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
  for (std::thread& client : clients) client.join();
  release_stuck = true;
  EXPECT_TRUE(Eventually([this] { return server_->calls_under_way() == 0; }));
}

TEST_F(ServerTest, OneServerForAPort) {
  auto other = GrpcServer::Start({"localhost", server_->port()}, master_.get());
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(std::string(other.status().message()),
              HasSubstr(absl::StrCat("cannot listen on localhost:", server_->port(), ": ")));
  EXPECT_THAT(std::string(other.status().message()), HasSubstr(" listens there"));
  // Whoever may look into /proc is told who.
  if (const std::string process = ProcessOnPort(server_->port()); !process.empty()) {
    EXPECT_THAT(process, StartsWith(absl::StrCat("process ", getpid(), " (")));
    EXPECT_THAT(std::string(other.status().message()), HasSubstr(process));
  }
  EXPECT_EQ(ProcessOnPort(1), "");
  // Not an address of this machine.
  EXPECT_EQ(GrpcServer::Start({"192.0.2.1", server_->port()}, master_.get()).status().code(),
            StatusCode::kUnavailable);
}

}  // namespace
}  // namespace warpbeam
