#include "tools/benchmarks/master_client.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "proto/master_service.grpc.pb.h"
#include "tools/benchmarks/measure.h"

namespace warpbeam {
namespace benchmarks {

using tensorflow::GraphDef;
using tensorflow::MasterService;
using tensorflow::NodeDef;
using tensorflow::TensorProto;

void Die(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  exit(1);
}

void Check(const grpc::Status& status, const char* what) {
  if (!status.ok()) Die(std::string(what) + ": " + status.error_message());
}

std::map<std::string, std::string> ParseFlags(int argc, char** argv,
                                              std::map<std::string, std::string> flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    if (word.rfind("--", 0) != 0 || equals == std::string::npos) Die("not a flag: " + word);
    flags[word.substr(2, equals - 2)] = word.substr(equals + 1);
  }
  return flags;
}

void SetFloats(const std::vector<int64_t>& shape, const std::vector<float>& values,
               TensorProto* tensor) {
  tensor->set_dtype(tensorflow::DT_FLOAT);
  for (int64_t size : shape) tensor->mutable_tensor_shape()->add_dim()->set_size(size);
  tensor->mutable_tensor_shape();
  for (float value : values) tensor->add_float_val(value);
}

float FirstFloat(const TensorProto& tensor) {
  float value = std::numeric_limits<float>::quiet_NaN();
  if (tensor.float_val_size() > 0) return tensor.float_val(0);
  if (tensor.tensor_content().size() >= sizeof value) {
    memcpy(&value, tensor.tensor_content().data(), sizeof value);
  }
  return value;
}

GraphOfFloats::GraphOfFloats() : graph_(std::make_unique<GraphDef>()) {
  graph_->mutable_versions()->set_producer(134);
}
GraphOfFloats::~GraphOfFloats() = default;

void GraphOfFloats::Constant(const std::string& name, const std::vector<int64_t>& shape,
                             float value) {
  NodeDef& node = Node(name, "Const", {}, "dtype");
  SetFloats(shape, {value}, (*node.mutable_attr())["value"].mutable_tensor());
}

void GraphOfFloats::Variable(const std::string& name, const std::vector<int64_t>& shape) {
  NodeDef& node = Node(name, "VariableV2", {}, "dtype");
  auto* const extents = (*node.mutable_attr())["shape"].mutable_shape();
  for (int64_t size : shape) extents->add_dim()->set_size(size);
  (*node.mutable_attr())["container"].set_s("");
  (*node.mutable_attr())["shared_name"].set_s("");
}

NodeDef& GraphOfFloats::Node(const std::string& name, const std::string& op,
                             const std::vector<std::string>& inputs, const std::string& type_attr) {
  NodeDef& node = *graph_->add_node();
  node.set_name(name);
  node.set_op(op);
  node.set_device(device_);
  for (const std::string& input : inputs) node.add_input(input);
  (*node.mutable_attr())[type_attr].set_type(tensorflow::DT_FLOAT);
  return node;
}

NodeDef& GraphOfFloats::Last() { return *graph_->mutable_node(graph_->node_size() - 1); }

namespace {

// No two of these programs give their requests the same numbers.
std::atomic<int64_t> last_request{static_cast<int64_t>(WallSeconds() * 1e9) << 8};

}  // namespace

struct Client::Connection {
  std::unique_ptr<MasterService::Stub> stub;
};

Client::~Client() = default;

Client::Client(const std::string& target) : connection_(std::make_unique<Connection>()) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  connection_->stub = MasterService::NewStub(
      grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments));
}

grpc::Status Client::Open(const GraphDef& graph) {
  tensorflow::CreateSessionRequest request;
  *request.mutable_graph_def() = graph;
  tensorflow::CreateSessionResponse response;
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  const grpc::Status status = connection_->stub->CreateSession(&context, request, &response);
  session_ = response.session_handle();
  return status;
}

tensorflow::RunStepRequest Client::Request(const std::string& fetch, const std::string& target) {
  tensorflow::RunStepRequest request;
  request.set_session_handle(session_);
  if (!fetch.empty()) request.add_fetch(fetch);
  if (!target.empty()) request.add_target(target);
  request.mutable_options();
  request.set_store_errors_in_response_body(true);
  return request;
}

grpc::Status Client::Run(tensorflow::RunStepRequest& request,
                         tensorflow::RunStepResponse* response) {
  request.set_request_id(++last_request);
  response->Clear();
  grpc::ClientContext context;
  const grpc::Status status = connection_->stub->RunStep(&context, request, response);
  if (!status.ok() || response->status_code() == tensorflow::error::OK) return status;
  return grpc::Status(static_cast<grpc::StatusCode>(response->status_code()),
                      response->status_error_message());
}

grpc::Status Client::Close() {
  tensorflow::CloseSessionRequest request;
  request.set_session_handle(session_);
  tensorflow::CloseSessionResponse response;
  grpc::ClientContext context;
  return connection_->stub->CloseSession(&context, request, &response);
}

}  // namespace benchmarks
}  // namespace warpbeam
