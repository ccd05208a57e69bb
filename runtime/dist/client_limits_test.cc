// What clients of a server may hold, and what is left of those that go.
#include <grpcpp/grpcpp.h>

#include <functional>
#include <list>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/master_service.grpc.pb.h"
#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/grpc_server.h"

namespace warpbeam {
namespace {

using ::testing::HasSubstr;

class ClientLimitsTest : public ::testing::Test {
 protected:
  void Start(const ClientLimits& limits) {
    auto master = Master::Create(MasterOptions());
    ASSERT_TRUE(master.ok()) << master.status();
    master_ = *std::move(master);
    GrpcServerOptions options;
    options.limits = limits;
    auto server = GrpcServer::Start(options, master_.get());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    Connect();
  }
  void Connect() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto channel = grpc::CreateCustomChannel(absl::StrCat("127.0.0.1:", server_->port()),
                                                   grpc::InsecureChannelCredentials(), arguments);
    stub_ = tensorflow::MasterService::NewStub(channel);
    worker_ = tensorflow::WorkerService::NewStub(channel);
  }
  template <class Stub, class Request, class Response>
  static grpc::Status Call(Stub& stub,
                           grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                        Response*),
                           const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return (stub.*method)(&context, request, response);
  }
  grpc::Status Open(std::string* handle = nullptr, size_t name_bytes = 1) {
    tensorflow::CreateSessionRequest request;
    tensorflow::NodeDef* const node = request.mutable_graph_def()->add_node();
    node->set_name(std::string(name_bytes, 'n'));
    node->set_op("NoOp");
    tensorflow::CreateSessionResponse response;
    const grpc::Status status =
        Call(*stub_, &tensorflow::MasterService::Stub::CreateSession, request, &response);
    if (handle != nullptr) *handle = response.session_handle();
    return status;
  }
  grpc::Status Close(const std::string& handle) {
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(handle);
    tensorflow::CloseSessionResponse response;
    return Call(*stub_, &tensorflow::MasterService::Stub::CloseSession, request, &response);
  }
  // A step of a session that is not there, with so many bytes fed.
  grpc::Status Feed(size_t bytes) {
    tensorflow::RunStepRequest request;
    request.set_session_handle("none");
    request.add_feed()->mutable_tensor()->set_tensor_content(std::string(bytes, 'x'));
    tensorflow::RunStepResponse response;
    return Call(*stub_, &tensorflow::MasterService::Stub::RunStep, request, &response);
  }
  grpc::Status OpenAsMaster(const std::string& handle, const std::string& master,
                            int64_t incarnation) {
    tensorflow::CreateWorkerSessionRequest request;
    request.set_session_handle(handle);
    request.set_master_task(master);
    request.set_master_incarnation(incarnation);
    tensorflow::CreateWorkerSessionResponse response;
    return Call(*worker_, &tensorflow::WorkerService::Stub::CreateWorkerSession, request,
                &response);
  }
  grpc::Status Register(const std::string& session, std::string* graph) {
    tensorflow::RegisterGraphRequest request;
    request.set_session_handle(session);
    request.set_create_worker_session_called(true);
    tensorflow::RegisterGraphResponse response;
    const grpc::Status status =
        Call(*worker_, &tensorflow::WorkerService::Stub::RegisterGraph, request, &response);
    *graph = response.graph_handle();
    return status;
  }
  static void ExpectExhausted(const grpc::Status& status, const std::string& words) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(status.error_message(), HasSubstr(words));
  }
  Holding held() const { return server_->accounts().held(); }
  // What calls hold goes with them, which is a moment after they are answered.
  bool ComesTo(const std::function<bool()>& holds) const {
    for (int i = 0; i < 10000 && !holds(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return holds();
  }

  std::unique_ptr<Master> master_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<tensorflow::MasterService::Stub> stub_;
  std::unique_ptr<tensorflow::WorkerService::Stub> worker_;
};

TEST_F(ClientLimitsTest, SessionsAreCountedUntilTheyAreClosed) {
  ClientLimits limits;
  limits.max_client_sessions = 2;
  Start(limits);
  std::string first, second;
  EXPECT_TRUE(Open(&first).ok());
  EXPECT_TRUE(Open(&second).ok());
  ExpectExhausted(Open(), "--max_client_sessions (now 2)");
  // Another connection is no other client, and one that has gone leaves its sessions to others, as
  // on TensorFlow's servers.
  Connect();
  ExpectExhausted(Open(), "the client 127.0.0.1 may hold 2 sessions");
  EXPECT_TRUE(Close(second).ok());
  EXPECT_TRUE(Open(&second).ok());
  EXPECT_EQ(held().sessions, 2);
  tensorflow::ResetResponse response;
  EXPECT_TRUE(
      Call(*stub_, &tensorflow::MasterService::Stub::Reset, tensorflow::ResetRequest(), &response)
          .ok());
  EXPECT_TRUE(ComesTo([&] { return held().sessions == 0 && held().bytes == 0; }));
}

TEST_F(ClientLimitsTest, DefinitionsOfGraphsAreCountedWithTheirSessions) {
  ClientLimits limits;
  limits.max_bytes = 3 << 20;
  Start(limits);
  std::string handle;
  EXPECT_TRUE(Open(&handle, 2 << 20).ok());
  EXPECT_GE(held().bytes, 2 << 20);
  ExpectExhausted(Open(nullptr, 2 << 20), "--max_mb (now 3)");
  EXPECT_TRUE(Close(handle).ok()) << "what ends something is never refused";
  EXPECT_TRUE(ComesTo([&] { return held().bytes == 0; }));
  EXPECT_TRUE(Open(&handle, 2 << 20).ok());
}

TEST_F(ClientLimitsTest, WhatIsFedIsCountedWhileItIsUsed) {
  ClientLimits limits;
  limits.max_client_bytes = 1 << 20;
  Start(limits);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Feed(900 << 10).error_code(), grpc::StatusCode::ABORTED);  // no such session
    EXPECT_TRUE(ComesTo([&] { return held().bytes == 0; }));
  }
  ExpectExhausted(Feed(2 << 20), "--max_client_mb (now 1)");
}

TEST_F(ClientLimitsTest, AMessageThatIsTooLargeIsRefused) {
  ClientLimits limits;
  limits.max_message_bytes = 1 << 20;
  Start(limits);
  EXPECT_EQ(Feed(1 << 19).error_code(), grpc::StatusCode::ABORTED);
  ExpectExhausted(Feed(3 << 19), "--max_message_mb (now 1)");
  ExpectExhausted(Feed(3 << 20), "larger than max");  // gRPC's words
}

TEST_F(ClientLimitsTest, CallsThatWaitAreCounted) {
  ClientLimits limits;
  limits.max_client_bytes = 100000;
  Start(limits);
  struct Waiting {
    grpc::ClientContext context;
    grpc::Status status;
    tensorflow::RecvTensorResponse response;
  };
  grpc::CompletionQueue queue;
  std::list<Waiting> waiting;
  std::list<std::unique_ptr<grpc::ClientAsyncResponseReader<tensorflow::RecvTensorResponse>>> calls;
  int refused = 0;
  tensorflow::RecvTensorRequest request;
  request.set_rendezvous_key("never sent");
  request.set_step_id(1);
  for (int i = 0; i < 50; ++i) {
    request.set_request_id(i + 1);
    request.set_rendezvous_key(absl::StrCat("never sent ", i));
    Waiting& call = waiting.emplace_back();
    calls.push_back(worker_->AsyncRecvTensor(&call.context, request, &queue));
    calls.back()->Finish(&call.response, &call.status, &call);
  }
  const auto take = [&] {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return static_cast<Waiting*>(tag);
  };
  EXPECT_TRUE(ComesTo([&] { return held().bytes > 80000; }));
  for (; refused < 38; ++refused) ExpectExhausted(take()->status, "--max_client_mb");
  for (Waiting& call : waiting) call.context.TryCancel();
  for (int i = refused; i < 50; ++i) {
    EXPECT_EQ(take()->status.error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_TRUE(ComesTo([&] { return held().bytes == 0; }));
  queue.Shutdown();
}

TEST_F(ClientLimitsTest, GraphsThatOtherTasksRegisterAreCounted) {
  ClientLimits limits;
  limits.max_graphs = 2;
  Start(limits);
  ASSERT_TRUE(OpenAsMaster("s", "/job:worker/replica:0/task:0", 1).ok());
  std::string first, second, third;
  EXPECT_TRUE(Register("s", &first).ok());
  EXPECT_TRUE(Register("s", &second).ok());
  ExpectExhausted(Register("s", &third), "--max_graphs (now 2)");
  tensorflow::DeregisterGraphRequest request;
  request.set_session_handle("s");
  request.set_create_worker_session_called(true);
  request.set_graph_handle(first);
  tensorflow::DeregisterGraphResponse response;
  EXPECT_TRUE(
      Call(*worker_, &tensorflow::WorkerService::Stub::DeregisterGraph, request, &response).ok());
  EXPECT_TRUE(Register("s", &third).ok());
}

TEST_F(ClientLimitsTest, AMasterThatStartedAnewHasLostItsSessions) {
  Start(ClientLimits());
  const std::string master = "/job:worker/replica:0/task:0";
  std::string graph;
  EXPECT_TRUE(OpenAsMaster("a", master, 1).ok());
  EXPECT_TRUE(OpenAsMaster("b", master, 1).ok());
  EXPECT_TRUE(OpenAsMaster("c", "/job:worker/replica:0/task:1", 7).ok());
  EXPECT_TRUE(Register("a", &graph).ok());
  EXPECT_EQ(held().sessions, 3);
  EXPECT_TRUE(OpenAsMaster("d", master, 2).ok());
  EXPECT_TRUE(ComesTo([&] { return held().sessions == 2 && held().graphs == 0; }));
  EXPECT_EQ(Register("a", &graph).error_code(), grpc::StatusCode::ABORTED);
  EXPECT_TRUE(Register("c", &graph).ok());
}

}  // namespace
}  // namespace warpbeam
