#include <grpcpp/grpcpp.h>

#include <functional>
#include <thread>

#include "gmock/gmock.h"
#include "graph/io/graph_export.h"
#include "proto/master_service.grpc.pb.h"
#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/grpc_server.h"
#include "runtime/session/testing/session_fixture.h"

namespace warpbeam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
    auto channel = grpc::CreateChannel(absl::StrCat("localhost:", server_->port()),
                                       grpc::InsecureChannelCredentials());
    stub_ = tensorflow::MasterService::NewStub(channel);
    worker_ = tensorflow::WorkerService::NewStub(channel);
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
  EXPECT_EQ(Step(Request("0123456789abcdef", {"bad:0"})).error_code(), grpc::StatusCode::ABORTED);
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
  ASSERT_TRUE(Step(Request(second, {"inc:0"})).ok());
  EXPECT_EQ(Fetched(), 2);
  grpc::ClientContext context;
  tensorflow::ResetResponse reset;
  ASSERT_TRUE(stub_->Reset(&context, {}, &reset).ok());
  EXPECT_EQ(Step(Request(second, {"inc:0"})).error_code(), grpc::StatusCode::ABORTED);
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
    EXPECT_TRUE(!status.ok() || response.status_code() == tensorflow::error::CANCELLED)
        << response.status_error_message();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begin = std::chrono::steady_clock::now();
  server_->Stop(5000);
  waits.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(ServerTest, OneServerForAPort) {
  auto other = GrpcServer::Start({"localhost", server_->port()}, master_.get());
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("cannot listen on localhost:"));
}

}  // namespace
}  // namespace warpbeam
