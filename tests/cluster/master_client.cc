#include "tests/cluster/master_client.h"

#include <grpcpp/grpcpp.h>

#include <chrono>

#include "graph/io/graph_export.h"
#include "graph/io/tensor_io.h"
#include "proto/master_service.grpc.pb.h"

namespace warpbeam {
namespace {

std::chrono::system_clock::time_point In(std::chrono::seconds time) {
  return std::chrono::system_clock::now() + time;
}

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace

struct MasterClient::Connection {
  std::unique_ptr<tensorflow::MasterService::Stub> stub;
};

MasterClient::MasterClient(const std::string& address)
    : connection_(std::make_unique<Connection>()) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  connection_->stub = tensorflow::MasterService::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

MasterClient::~MasterClient() {
  if (session_.empty()) return;
  tensorflow::CloseSessionRequest request;
  request.set_session_handle(session_);
  tensorflow::CloseSessionResponse response;
  grpc::ClientContext context;
  context.set_deadline(In(std::chrono::seconds(5)));
  connection_->stub->CloseSession(&context, request, &response);
}

absl::Status MasterClient::Open(const frontend::Scope& root) {
  WB_RETURN_IF_ERROR(root.status());
  tensorflow::CreateSessionRequest request;
  WB_RETURN_IF_ERROR(ExportGraphDef(*root.graph(), request.mutable_graph_def()));
  tensorflow::CreateSessionResponse response;
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(In(std::chrono::seconds(60)));
  WB_RETURN_IF_ERROR(FromGrpc(connection_->stub->CreateSession(&context, request, &response)));
  session_ = response.session_handle();
  return absl::OkStatus();
}

absl::StatusOr<Tensor> MasterClient::Run(const NamedTensors& feeds, const std::string& fetch,
                                         const std::vector<std::string>& targets,
                                         tensorflow::RunMetadata* metadata) {
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
  WB_RETURN_IF_ERROR(FromGrpc(connection_->stub->RunStep(&context, request, &response)));
  if (metadata != nullptr) *metadata = response.metadata();
  if (fetch.empty()) return Tensor();
  return TensorFromProto(response.tensor(0).tensor());
}

}  // namespace warpbeam
