#include "runtime/dist/master_connection.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "proto/master_service.grpc.pb.h"
#include "runtime/dist/byte_buffer.h"
#include "runtime/dist/cluster_spec.h"
#include "runtime/dist/grpc_channel.h"
#include "runtime/dist/health/peer_watch.h"
#include "runtime/dist/heartbeat.h"
#include "runtime/dist/tls.h"
#include "runtime/kernel/cancellation.h"

namespace warpbeam {
namespace {

using MasterStub = tensorflow::MasterService::Stub;
template <class Request, class Response>
using StubMethod = grpc::Status (MasterStub::*)(grpc::ClientContext*, const Request&, Response*);

std::chrono::system_clock::time_point After(int64_t timeout_ms) {
  return std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms);
}

// A call under way. Who cancels it shares it, for it may end meanwhile.
struct CallUnderWay {
  CallUnderWay() : step(0, nullptr, nullptr) {
    step.OnCancel([this] { context.TryCancel(); });
  }
  grpc::ClientContext context;
  StepContext step;  // by which a Cancellation knows it
  Status lost;       // why its server is taken for dead; guarded by the mutex of all calls
};

// Those of a connection. The watch looks after them.
class CallsUnderWay final : public PeerWatch::Subject {
 public:
  CallsUnderWay(const std::string& address, const TlsFiles& tls)
      : heartbeat_("the server", address, tls) {}

  Status Add(const std::shared_ptr<CallUnderWay>& call) {
    std::lock_guard<std::mutex> lock(mutex_);
    WB_RETURN_IF_ERROR(why_);
    if (calls_.empty()) heartbeat_.Watch(std::chrono::steady_clock::now());
    calls_.insert(call);
    return OkStatus();
  }
  // Why the call is lost; OK unless it is.
  Status Remove(const std::shared_ptr<CallUnderWay>& call) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.erase(call);
    if (calls_.empty()) ended_.notify_all();
    return call->lost;
  }
  void CancelAll(const Status& why) {
    std::set<std::shared_ptr<CallUnderWay>> calls;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (why_.ok()) why_ = why;
      calls = calls_;
    }
    for (const auto& call : calls) call->step.Cancel(why);
  }
  bool WaitUntilIdle(int64_t timeout_ms) {
    std::unique_lock<std::mutex> lock(mutex_);
    return ended_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                           [&] { return calls_.empty(); });
  }
  bool Look(TaskHealth::Time now, bool was_asleep) override {
    std::set<std::shared_ptr<CallUnderWay>> lost;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (calls_.empty()) return false;
      if (was_asleep) heartbeat_.Watch(now);
      const Status there = heartbeat_.Check(now);
      for (const auto& call : calls_) {
        if (there.ok()) break;
        if (call->lost.ok()) lost.insert(call);
        call->lost = there;
      }
    }
    for (const auto& call : lost) call->context.TryCancel();
    heartbeat_.Ask(now);
    return true;
  }

 private:
  Heartbeat heartbeat_;
  std::mutex mutex_;  // of what follows
  std::condition_variable ended_;
  std::set<std::shared_ptr<CallUnderWay>> calls_;
  Status why_;  // OK until all calls are cancelled
};

class GrpcMasterConnection final : public MasterConnection {
 public:
  GrpcMasterConnection(const std::string& address, const TlsFiles& tls)
      : target_("grpc://" + address),
        channel_(ConnectTo(address, tls)),
        stub_(tensorflow::MasterService::NewStub(channel_)),
        calls_(std::make_shared<CallsUnderWay>(address, tls)) {
    watch_->Add(calls_);
  }

  const std::string& target() const override { return target_; }

  Status Connect(int64_t timeout_ms) override {
    if (channel_->WaitForConnected(After(timeout_ms))) return OkStatus();
    // A call that fails at once tells the reason.
    tensorflow::ListDevicesResponse devices;
    grpc::ClientContext context;
    context.set_deadline(After(1000));
    const grpc::Status asked = stub_->ListDevices(&context, {}, &devices);
    return Unavailable(target_, " did not answer within ", timeout_ms,
                       " ms: is a server running there? (", asked.error_message(), ")");
  }

  void CancelAll(const Status& why) override { calls_->CancelAll(why); }
  bool WaitUntilIdle(int64_t timeout_ms) override { return calls_->WaitUntilIdle(timeout_ms); }

#define WB_MASTER_CALL(call)                                                                       \
  Status call(const tensorflow::call##Request& request, const CallBounds& bounds,                  \
              tensorflow::call##Response* response) override {                                     \
    return Call<tensorflow::call##Request, tensorflow::call##Response>(&MasterStub::call, request, \
                                                                       bounds, response);          \
  }
  WB_MASTER_CALL(CreateSession)
  WB_MASTER_CALL(ExtendSession)
  WB_MASTER_CALL(PartialRunSetup)
  WB_MASTER_CALL(MakeCallable)
  WB_MASTER_CALL(RunCallable)
  WB_MASTER_CALL(ReleaseCallable)
  WB_MASTER_CALL(ListDevices)
  WB_MASTER_CALL(Reset)
#undef WB_MASTER_CALL

  // Comes after all others, which it finds cancelled.
  Status CloseSession(const tensorflow::CloseSessionRequest& request, const CallBounds& bounds,
                      tensorflow::CloseSessionResponse* response) override {
    grpc::ClientContext context;
    if (bounds.timeout_ms > 0) context.set_deadline(After(bounds.timeout_ms));
    return FromGrpc(stub_->CloseSession(&context, request, response), bounds.timeout_ms);
  }

  Status RunStep(RunStepCall call, const CallBounds& bounds,
                 tensorflow::RunStepResponse* response) override {
    // Generated stubs copy what they send.
    const grpc::internal::RpcMethod method("/tensorflow.MasterService/RunStep",
                                           grpc::internal::RpcMethod::NORMAL_RPC, channel_);
    grpc::ByteBuffer request = ToByteBuffer(call.TakePieces());
    grpc::ByteBuffer answer;
    WB_RETURN_IF_ERROR(Await(bounds, [&](grpc::ClientContext* context) {
      const grpc::Status status =
          grpc::internal::BlockingUnaryCall(channel_.get(), method, context, request, &answer);
      if (status.error_code() != grpc::StatusCode::CANCELLED) return status;
      // Errors of the step come in the answer: this is a server that takes its calls down.
      return grpc::Status(grpc::StatusCode::UNAVAILABLE,
                          "it has ended the call: " + status.error_message());
    }));
    using Traits = grpc::SerializationTraits<tensorflow::RunStepResponse>;
    if (Traits::Deserialize(&answer, response).ok()) return OkStatus();
    return Internal(target_, " has answered a step with something else");
  }

 private:
  template <class Request, class Response>
  Status Call(StubMethod<Request, Response> method, const Request& request,
              const CallBounds& bounds, Response* response) {
    if (request.ByteSizeLong() > INT32_MAX) {
      return ResourceExhausted("a ", Request::descriptor()->name(), " of ", request.ByteSizeLong(),
                               " bytes does not fit into one message of at most 2 GiB");
    }
    return Await(bounds, [&](grpc::ClientContext* context) {
      return (stub_.get()->*method)(context, request, response);
    });
  }

  Status Await(const CallBounds& bounds,
               const std::function<grpc::Status(grpc::ClientContext*)>& call_server) {
    const auto call = std::make_shared<CallUnderWay>();
    WB_RETURN_IF_ERROR(calls_->Add(call));
    watch_->Wake();
    if (bounds.timeout_ms > 0) call->context.set_deadline(After(bounds.timeout_ms));
    grpc::Status status;
    {
      const Cancellation::Scope scope(bounds.cancellation, &call->step);
      status = call_server(&call->context);
    }
    const Status lost = calls_->Remove(call);
    if (!status.ok() && call->step.IsCancelled()) return call->step.cancel_reason();
    if (!status.ok() && !lost.ok()) return Unavailable(target_, ": ", lost.message());
    return FromGrpc(status, bounds.timeout_ms);
  }

  Status FromGrpc(const grpc::Status& status, int64_t timeout_ms) const {
    if (status.ok()) return OkStatus();
    const auto code = static_cast<StatusCode>(status.error_code());
    switch (code) {
      case StatusCode::kUnavailable:
        return Unavailable(target_, " does not answer: ", status.error_message());
      case StatusCode::kDeadlineExceeded:
        if (timeout_ms <= 0) break;
        return DeadlineExceeded(target_, " has not answered within ", timeout_ms,
                                " ms: ", status.error_message());
      default:
        break;
    }
    return Status(code, status.error_message());
  }

  const std::string target_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<MasterStub> stub_;
  const std::shared_ptr<PeerWatch> watch_ = PeerWatch::Shared();
  const std::shared_ptr<CallsUnderWay> calls_;
};

}  // namespace

StatusOr<std::unique_ptr<MasterConnection>> MasterConnection::Create(const std::string& address,
                                                                     const TlsFiles& tls) {
  WB_RETURN_IF_ERROR(ParseAddress(address).status());
  if (tls.is_set()) WB_RETURN_IF_ERROR(CheckTls(tls));
  return std::make_unique<GrpcMasterConnection>(address, tls);
}

}  // namespace warpbeam
