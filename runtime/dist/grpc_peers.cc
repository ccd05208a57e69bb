#include "runtime/dist/grpc_peers.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <string>
#include <utility>

#include "graph/io/tensor_io.h"
#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/cluster/task_name.h"

namespace warpbeam {
namespace {

// How soon a lost connection is tried again.
constexpr int kFirstRetryMs = 100;
constexpr int kLastRetryMs = 1000;

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstRetryMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kFirstRetryMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLastRetryMs);
  // Tasks are where the cluster says, whatever proxy the environment names.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

class GrpcPeer final : public WorkerPeer, public std::enable_shared_from_this<GrpcPeer> {
 public:
  GrpcPeer(std::string task, std::string address)
      : task_(std::move(task)),
        address_(std::move(address)),
        stub_(tensorflow::WorkerService::NewStub(Connect(address_))) {}

  absl::Status GetStatus(const tensorflow::GetStatusRequest& request, int64_t timeout_ms,
                         tensorflow::GetStatusResponse* response) override {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    SetDeadline(timeout_ms, &context);
    return FromGrpc(stub_->GetStatus(&context, request, response));
  }

#define WB_GRPC_CALL(call)                                                        \
  absl::Status call(const tensorflow::call##Request& request, int64_t timeout_ms, \
                    tensorflow::call##Response* response) override {              \
    grpc::ClientContext context;                                                  \
    SetDeadline(timeout_ms, &context);                                            \
    return FromGrpc(stub_->call(&context, request, response));                    \
  }
  WB_GRPC_CALL(CreateWorkerSession)
  WB_GRPC_CALL(DeleteWorkerSession)
  WB_GRPC_CALL(RegisterGraph)
  WB_GRPC_CALL(DeregisterGraph)
  WB_GRPC_CALL(CleanupGraph)
  WB_GRPC_CALL(CleanupAll)
#undef WB_GRPC_CALL

  std::shared_ptr<PendingCall> RunGraph(tensorflow::RunGraphRequest request,
                                        RunGraphDone done) override {
    using Call = Pending<tensorflow::RunGraphRequest, tensorflow::RunGraphResponse>;
    auto call = std::make_shared<Call>();
    call->request = std::move(request);
    stub_->async()->RunGraph(&call->context, &call->request, &call->response,
                             [self = shared_from_this(), call, done](const grpc::Status& status) {
                               done(self->FromGrpc(status), std::move(call->response));
                             });
    return call;
  }

  std::shared_ptr<PendingCall> RecvTensor(tensorflow::RecvTensorRequest request,
                                          Rendezvous::Receiver receiver) override {
    using Call = Pending<tensorflow::RecvTensorRequest, tensorflow::RecvTensorResponse>;
    auto call = std::make_shared<Call>();
    call->request = std::move(request);
    stub_->async()->RecvTensor(
        &call->context, &call->request, &call->response,
        [self = shared_from_this(), call, receiver](const grpc::Status& status) {
          receiver(self->ValueOf(status, call->response));
        });
    return call;
  }

 private:
  template <class Request, class Response>
  struct Pending final : PendingCall {
    void Cancel() override { context.TryCancel(); }
    grpc::ClientContext context;
    Request request;
    Response response;
  };

  static void SetDeadline(int64_t timeout_ms, grpc::ClientContext* context) {
    if (timeout_ms <= 0) return;
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms));
  }

  absl::Status FromGrpc(const grpc::Status& status) const {
    if (status.ok()) return absl::OkStatus();
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    if (code != absl::StatusCode::kUnavailable && code != absl::StatusCode::kDeadlineExceeded) {
      return absl::Status(code, status.error_message());
    }
    return absl::Status(
        code, absl::StrCat(task_, " at ", address_, " does not answer: ", status.error_message()));
  }

  absl::StatusOr<Rendezvous::Value> ValueOf(const grpc::Status& status,
                                            const tensorflow::RecvTensorResponse& response) const {
    WB_RETURN_IF_ERROR(ToldBy(task_, FromGrpc(status)));
    Rendezvous::Value value;
    value.is_dead = response.is_dead();
    if (value.is_dead) return value;
    auto tensor = TensorFromProto(response.tensor());
    if (!tensor.ok()) {
      return Annotate(tensor.status(), absl::StrCat("a tensor that ", task_, " has sent"));
    }
    value.tensor = *std::move(tensor);
    return value;
  }

  const std::string task_;
  const std::string address_;
  const std::unique_ptr<tensorflow::WorkerService::Stub> stub_;
};

}  // namespace

std::shared_ptr<PeerDirectory> NewGrpcPeers(const ClusterSpec& cluster) {
  auto peers = std::make_shared<PeerDirectory>();
  for (const auto& [job, addresses] : cluster.jobs) {
    for (size_t task = 0; task < addresses.size(); ++task) {
      const std::string name = TaskName(job, static_cast<int>(task));
      peers->Add(name, std::make_shared<GrpcPeer>(name, addresses[task]));
    }
  }
  return peers;
}

}  // namespace warpbeam
