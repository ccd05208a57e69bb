// What gRPC alone costs: a server that takes the messages of MasterService, runs nothing, and
// answers each step with the same tensor, written with gRPC's plainest interface.
//
//   grpc_echo        prints "grpc://localhost:PORT" and serves until it is killed
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <memory>

#include "proto/master_service.grpc.pb.h"

namespace warpbeam {
namespace benchmarks {
namespace {

class Echo final : public tensorflow::MasterService::Service {
  grpc::Status CreateSession(grpc::ServerContext*, const tensorflow::CreateSessionRequest*,
                             tensorflow::CreateSessionResponse* response) override {
    response->set_session_handle("0123456789abcdef");
    return grpc::Status::OK;
  }
  grpc::Status RunStep(grpc::ServerContext*, const tensorflow::RunStepRequest* request,
                       tensorflow::RunStepResponse* response) override {
    response->mutable_metadata();
    for (const std::string& fetch : request->fetch()) {
      tensorflow::NamedTensorProto* const tensor = response->add_tensor();
      tensor->set_name(fetch);
      tensor->mutable_tensor()->set_dtype(tensorflow::DT_FLOAT);
      tensor->mutable_tensor()->mutable_tensor_shape();
      tensor->mutable_tensor()->add_float_val(1);
    }
    return grpc::Status::OK;
  }
  grpc::Status CloseSession(grpc::ServerContext*, const tensorflow::CloseSessionRequest*,
                            tensorflow::CloseSessionResponse*) override {
    return grpc::Status::OK;
  }
};

int Main() {
  Echo echo;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("localhost:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&echo);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return 1;
  printf("grpc://localhost:%d\n", port);
  fflush(stdout);
  server->Wait();
  return 0;
}

}  // namespace
}  // namespace benchmarks
}  // namespace warpbeam

int main() { return warpbeam::benchmarks::Main(); }
