#include "runtime/dist/grpc_server.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "proto/master_service.grpc.pb.h"
#include "proto/worker_service.grpc.pb.h"

namespace warpbeam {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.raw_code()),
                      std::string(status.message()));
}

class MasterCalls final : public tensorflow::MasterService::Service {
 public:
  explicit MasterCalls(Master* master) : master_(*master) {}

  grpc::Status CreateSession(grpc::ServerContext*, const tensorflow::CreateSessionRequest* request,
                             tensorflow::CreateSessionResponse* response) override {
    return ToGrpc(master_.CreateSession(*request, response));
  }
  grpc::Status ExtendSession(grpc::ServerContext*, const tensorflow::ExtendSessionRequest* request,
                             tensorflow::ExtendSessionResponse* response) override {
    return ToGrpc(master_.ExtendSession(*request, response));
  }
  grpc::Status PartialRunSetup(grpc::ServerContext*,
                               const tensorflow::PartialRunSetupRequest* request,
                               tensorflow::PartialRunSetupResponse* response) override {
    return ToGrpc(master_.PartialRunSetup(*request, response));
  }
  grpc::Status RunStep(grpc::ServerContext*, const tensorflow::RunStepRequest* request,
                       tensorflow::RunStepResponse* response) override {
    return ToGrpc(master_.RunStep(*request, response));
  }
  grpc::Status CloseSession(grpc::ServerContext*, const tensorflow::CloseSessionRequest* request,
                            tensorflow::CloseSessionResponse* response) override {
    return ToGrpc(master_.CloseSession(*request, response));
  }
  grpc::Status ListDevices(grpc::ServerContext*, const tensorflow::ListDevicesRequest* request,
                           tensorflow::ListDevicesResponse* response) override {
    return ToGrpc(master_.ListDevices(*request, response));
  }
  grpc::Status Reset(grpc::ServerContext*, const tensorflow::ResetRequest* request,
                     tensorflow::ResetResponse* response) override {
    return ToGrpc(master_.Reset(*request, response));
  }
  grpc::Status MakeCallable(grpc::ServerContext*, const tensorflow::MakeCallableRequest* request,
                            tensorflow::MakeCallableResponse* response) override {
    return ToGrpc(master_.MakeCallable(*request, response));
  }
  grpc::Status RunCallable(grpc::ServerContext*, const tensorflow::RunCallableRequest* request,
                           tensorflow::RunCallableResponse* response) override {
    return ToGrpc(master_.RunCallable(*request, response));
  }
  grpc::Status ReleaseCallable(grpc::ServerContext*,
                               const tensorflow::ReleaseCallableRequest* request,
                               tensorflow::ReleaseCallableResponse* response) override {
    return ToGrpc(master_.ReleaseCallable(*request, response));
  }

 private:
  Master& master_;
};

// What a single task says as a worker: that it is there. The other calls come with clusters.
class WorkerCalls final : public tensorflow::WorkerService::Service {
 public:
  explicit WorkerCalls(Master* master) : master_(*master) {}

  grpc::Status GetStatus(grpc::ServerContext*, const tensorflow::GetStatusRequest*,
                         tensorflow::GetStatusResponse* response) override {
    for (tensorflow::DeviceAttributes& device : master_.Devices()) {
      *response->add_device_attributes() = std::move(device);
    }
    return grpc::Status::OK;
  }

 private:
  Master& master_;
};

class GrpcServerImpl final : public GrpcServer {
 public:
  explicit GrpcServerImpl(Master* master)
      : master_(*master), master_calls_(master), worker_calls_(master) {}
  ~GrpcServerImpl() override { Stop(5000); }

  absl::Status Listen(const GrpcServerOptions& options) {
    const std::string address = absl::StrCat(options.host, ":", options.port);
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetMaxSendMessageSize(-1);
    // Two servers on one port would share its clients at random.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&master_calls_);
    builder.RegisterService(&worker_calls_);
    server_ = builder.BuildAndStart();
    if (server_ != nullptr && port_ != 0) return absl::OkStatus();
    server_.reset();
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address, ": is another server there?"));
  }

  int port() const override { return port_; }

  void Stop(int64_t timeout_ms) override {
    if (server_ == nullptr) return;
    master_.CloseAll().IgnoreError();
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms));
    server_.reset();
  }

 private:
  Master& master_;
  MasterCalls master_calls_;
  WorkerCalls worker_calls_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                              Master* master) {
  auto server = std::make_unique<GrpcServerImpl>(master);
  WB_RETURN_IF_ERROR(server->Listen(options));
  return server;
}

}  // namespace warpbeam
