// MasterClient: a client that speaks to a server of a cluster as TensorFlow's does.
//
//   MasterClient client("localhost:2222");
//   ASSERT_TRUE(client.Open(root).ok());
//   absl::StatusOr<Tensor> y = client.Run({{"x:0", x}}, "y:0");
//
// Ownership: owns its connection; closes its session in the end. Thread safety: Run from any thread.
// Errors: those of the server; DEADLINE_EXCEEDED after half a minute.
#ifndef WARPBEAM_TESTS_CLUSTER_MASTER_CLIENT_H_
#define WARPBEAM_TESTS_CLUSTER_MASTER_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "frontend/scope.h"
#include "graph/io/graph_export.h"
#include "graph/io/tensor_io.h"
#include "proto/master_service.grpc.pb.h"
#include "runtime/session/session.h"

namespace warpbeam {

class MasterClient {
 public:
  explicit MasterClient(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = tensorflow::MasterService::NewStub(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  }
  ~MasterClient() {
    if (session_.empty()) return;
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(session_);
    tensorflow::CloseSessionResponse response;
    grpc::ClientContext context;
    context.set_deadline(In(std::chrono::seconds(5)));
    stub_->CloseSession(&context, request, &response);
  }
  MasterClient(const MasterClient&) = delete;
  MasterClient& operator=(const MasterClient&) = delete;

  absl::Status Open(const frontend::Scope& root) {
    WB_RETURN_IF_ERROR(root.status());
    tensorflow::CreateSessionRequest request;
    WB_RETURN_IF_ERROR(ExportGraphDef(*root.graph(), request.mutable_graph_def()));
    tensorflow::CreateSessionResponse response;
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(In(std::chrono::seconds(60)));
    WB_RETURN_IF_ERROR(FromGrpc(stub_->CreateSession(&context, request, &response)));
    session_ = response.session_handle();
    return absl::OkStatus();
  }

  // A tensor without a value where nothing is fetched.
  absl::StatusOr<Tensor> Run(const NamedTensors& feeds, const std::string& fetch,
                             const std::vector<std::string>& targets = {},
                             tensorflow::RunMetadata* metadata = nullptr) {
    tensorflow::RunStepRequest request;
    request.set_session_handle(session_);
    for (const auto& [name, value] : feeds) {
      tensorflow::NamedTensorProto* const feed = request.add_feed();
      feed->set_name(name);
      WB_RETURN_IF_ERROR(TensorToProto(value, TensorForm::kContent, feed->mutable_tensor()));
    }
    if (!fetch.empty()) request.add_fetch(fetch);
    for (const std::string& target : targets) request.add_target(target);
    if (metadata != nullptr) {
      request.mutable_options()->set_trace_level(tensorflow::RunOptions::FULL_TRACE);
      request.mutable_options()->set_output_partition_graphs(true);
    }
    tensorflow::RunStepResponse response;
    grpc::ClientContext context;
    context.set_deadline(In(std::chrono::seconds(30)));
    WB_RETURN_IF_ERROR(FromGrpc(stub_->RunStep(&context, request, &response)));
    if (metadata != nullptr) *metadata = response.metadata();
    if (fetch.empty()) return Tensor();
    return TensorFromProto(response.tensor(0).tensor());
  }

 private:
  static std::chrono::system_clock::time_point In(std::chrono::seconds time) {
    return std::chrono::system_clock::now() + time;
  }
  static absl::Status FromGrpc(const grpc::Status& status) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }

  std::unique_ptr<tensorflow::MasterService::Stub> stub_;
  std::string session_;
};

}  // namespace warpbeam

#endif  // WARPBEAM_TESTS_CLUSTER_MASTER_CLIENT_H_
