#include "runtime/dist/grpc_peers.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "proto/worker_service.grpc.pb.h"
#include "runtime/dist/cluster/recv_buf.h"
#include "runtime/dist/cluster/remote_status.h"
#include "runtime/dist/cluster/task_name.h"
#include "runtime/dist/config_proto.h"
#include "runtime/dist/grpc_channel.h"
#include "runtime/dist/health/peer_watch.h"
#include "runtime/dist/heartbeat.h"
#include "runtime/dist/lane/lane_finder.h"
#include "runtime/dist/recv_tensor_reader.h"
#include "runtime/dist/socket/socket_communicator.h"

namespace warpbeam {
namespace {

// How long a task has to hear that a tensor of it has come.
constexpr int64_t kTellMs = 1000;

class GrpcPeer final : public WorkerPeer,
                       public PeerWatch::Subject,
                       public std::enable_shared_from_this<GrpcPeer> {
 public:
  // The watch outlives the calls of the peer.
  GrpcPeer(std::string task, std::string address, const TlsFiles& tls, PeerWatch* watch)
      : task_(std::move(task)),
        address_(std::move(address)),
        watch_(*watch),
        channel_(ConnectTo(address_, tls)),
        stub_(tensorflow::WorkerService::NewStub(channel_)),
        bytes_(channel_),
        heartbeat_(task_, address_, tls) {
    const auto address_parts = ParseAddress(address_);
    if (address_parts.ok()) lanes_ = std::make_shared<LaneFinder>(address_parts->host, tls);
  }

  // Whoever waits for a session to open is told by its own deadline.
  Status GetStatus(const tensorflow::GetStatusRequest& request, int64_t timeout_ms,
                   tensorflow::GetStatusResponse* response) override {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    SetDeadline(timeout_ms, &context);
    const grpc::Status status = stub_->GetStatus(&context, request, response);
    if (status.ok() && lanes_ != nullptr) lanes_->Connect(LaneOf(*response));
    return FromGrpc(status);
  }

#define WB_GRPC_CALL(call)                                                   \
  Status call(const tensorflow::call##Request& request, int64_t timeout_ms,  \
              tensorflow::call##Response* response) override {               \
    const auto waiting = Begin<GrpcCall>(timeout_ms);                        \
    return End(*waiting, stub_->call(&waiting->context, request, response)); \
  }
  WB_GRPC_CALL(CreateWorkerSession)
  WB_GRPC_CALL(DeleteWorkerSession)
  WB_GRPC_CALL(RegisterGraph)
  WB_GRPC_CALL(DeregisterGraph)
  WB_GRPC_CALL(CleanupAll)
  WB_GRPC_CALL(GetStepSequence)
#undef WB_GRPC_CALL

  std::shared_ptr<PendingCall> RunGraph(tensorflow::RunGraphRequest request, int64_t timeout_ms,
                                        RunGraphDone done) override {
    using Running = AsyncCall<tensorflow::RunGraphRequest, tensorflow::RunGraphResponse>;
    const auto call = Begin<Running>(timeout_ms);
    call->request = std::move(request);
    stub_->async()->RunGraph(&call->context, &call->request, &call->response,
                             [self = shared_from_this(), call, done](const grpc::Status& status) {
                               done(self->End(*call, status), std::move(call->response));
                             });
    return call;
  }

  std::shared_ptr<PendingCall> RecvTensor(tensorflow::RecvTensorRequest request,
                                          Rendezvous::Receiver receiver) override {
    if (const std::shared_ptr<LaneClient> lane = OpenLane()) {
      return Ask(lane, request, std::move(receiver));
    }
    using Receiving = AsyncCall<grpc::ByteBuffer, grpc::ByteBuffer>;
    const auto call = Begin<Receiving>(0);
    // A connection that was refused a moment ago may be there now; whether the task is gone, the
    // heartbeat knows.
    call->context.set_wait_for_ready(true);
    const int64_t id = request.request_id();
    const grpc::Slice bytes(request.SerializeAsString());
    call->request = grpc::ByteBuffer(&bytes, 1);
    // Bytes and no message: large values are not copied on their way into the tensor.
    bytes_.UnaryCall(&call->context, "/tensorflow.WorkerService/RecvTensor", grpc::StubOptions(),
                     &call->request, &call->response,
                     [self = shared_from_this(), call, receiver, id](const grpc::Status& status) {
                       receiver(self->ValueOf(self->End(*call, status), id, &call->response));
                     });
    return call;
  }

#define WB_GRPC_WAIT(call_name, Done)                                                           \
  std::shared_ptr<PendingCall> call_name(tensorflow::call_name##Request request, Done done)     \
      override {                                                                                \
    using Waiting = AsyncCall<tensorflow::call_name##Request, tensorflow::call_name##Response>; \
    const auto call = Begin<Waiting>(0);                                                        \
    call->request = std::move(request);                                                         \
    stub_->async()->call_name(                                                                  \
        &call->context, &call->request, &call->response,                                        \
        [self = shared_from_this(), call, done](const grpc::Status& status) {                   \
          done(self->End(*call, status), call->response);                                       \
        });                                                                                     \
    return call;                                                                                \
  }
  WB_GRPC_WAIT(CompleteGroup, GroupDone)
  WB_GRPC_WAIT(CompleteInstance, InstanceDone)
#undef WB_GRPC_WAIT

  std::shared_ptr<PendingCall> RecvBuf(tensorflow::RecvBufRequest request,
                                       BytesDone done) override {
    using Receiving = AsyncCall<tensorflow::RecvBufRequest, tensorflow::RecvBufResponse>;
    const auto call = Begin<Receiving>(0);
    call->request = std::move(request);
    stub_->async()->RecvBuf(&call->context, &call->request, &call->response,
                            [self = shared_from_this(), call, done](const grpc::Status& status) {
                              const Status ended = self->End(*call, status);
                              if (!ended.ok()) return done(ended);
                              done(BytesOf(call->response));
                            });
    return call;
  }

  void CleanupGraph(tensorflow::CleanupGraphRequest request, int64_t timeout_ms) override {
    using Cleaning = AsyncCall<tensorflow::CleanupGraphRequest, tensorflow::CleanupGraphResponse>;
    const auto call = std::make_shared<Cleaning>();
    SetDeadline(timeout_ms, &call->context);
    call->request = std::move(request);
    stub_->async()->CleanupGraph(&call->context, &call->request, &call->response,
                                 [self = shared_from_this(), call](const grpc::Status&) {});
  }

  bool Look(TaskHealth::Time now, bool was_asleep) override {
    std::vector<std::shared_ptr<Call>> lost;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (calls_.empty()) return false;
      if (was_asleep) heartbeat_.Watch(now);
      const Status there = heartbeat_.Check(now);
      for (const auto& [at, call] : calls_) {
        if (there.ok()) break;
        if (!call->lost.ok()) continue;
        call->lost = there;
        lost.push_back(call);
      }
    }
    // Without the lock: what waits for a call may be told of its end at once, on this thread.
    for (const auto& call : lost) call->Cancel();
    heartbeat_.Ask(now);
    return true;
  }

 private:
  // A call under way.
  struct Call : PendingCall {
    Status lost;  // why its task is taken for dead; guarded by the peer's mutex
  };
  struct GrpcCall : Call {
    void Cancel() override { context.TryCancel(); }
    grpc::ClientContext context;
  };
  template <class Request, class Response>
  struct AsyncCall final : GrpcCall {
    Request request;
    Response response;
  };
  // A tensor that is asked for on a lane.
  struct LaneCall final : Call {
    explicit LaneCall(std::shared_ptr<LaneClient> on) : lane(std::move(on)) {}
    void Cancel() override {
      uint64_t asked = 0;
      {
        std::lock_guard<std::mutex> lock(mutex);
        is_cancelled = true;
        asked = id;
      }
      if (asked != 0) lane->Cancel(asked, Cancelled("the step does not wait for it any more"));
    }
    void SetId(uint64_t asked) {
      bool is_late = false;
      {
        std::lock_guard<std::mutex> lock(mutex);
        id = asked;
        is_late = is_cancelled;
      }
      if (is_late) Cancel();
    }
    const std::shared_ptr<LaneClient> lane;
    std::mutex mutex;  // of what follows
    uint64_t id = 0;   // 0: not known yet
    bool is_cancelled = false;
  };

  static void SetDeadline(int64_t timeout_ms, grpc::ClientContext* context) {
    if (timeout_ms <= 0) return;
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms));
  }

  template <class Kind>
  std::shared_ptr<Kind> Begin(int64_t timeout_ms) {
    auto call = std::make_shared<Kind>();
    SetDeadline(timeout_ms, &call->context);
    Register(call);
    return call;
  }

  // It is looked after until it ends.
  void Register(const std::shared_ptr<Call>& call) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (calls_.empty()) heartbeat_.Watch(std::chrono::steady_clock::now());
      calls_.emplace(call.get(), call);
    }
    watch_.Wake();
  }

  // `status`, or why its task is taken for dead.
  Status Unregister(const Call& call, Status status) {
    std::lock_guard<std::mutex> lock(mutex_);
    calls_.erase(&call);
    return !call.lost.ok() && !status.ok() ? call.lost : status;
  }

  Status End(const Call& call, const grpc::Status& status) {
    return Unregister(call, FromGrpc(status));
  }

  static LaneAddress LaneOf(const tensorflow::GetStatusResponse& status) {
    return {status.lane().port(), status.lane().token()};
  }

  // Null where there is none, or none yet.
  std::shared_ptr<LaneClient> OpenLane() {
    if (lanes_ == nullptr) return nullptr;
    bool must_ask = false;
    std::shared_ptr<LaneClient> lane = lanes_->Open(&must_ask);
    if (!must_ask) return lane;
    using Asking = AsyncCall<tensorflow::GetStatusRequest, tensorflow::GetStatusResponse>;
    const auto call = std::make_shared<Asking>();
    SetDeadline(kTellMs, &call->context);
    stub_->async()->GetStatus(
        &call->context, &call->request, &call->response,
        [lanes = lanes_, call](const grpc::Status& status) {
          lanes->Connect(status.ok() ? LaneOf(call->response) : LaneAddress());
        });
    return nullptr;
  }

  std::shared_ptr<PendingCall> Ask(const std::shared_ptr<LaneClient>& lane,
                                   const tensorflow::RecvTensorRequest& request,
                                   Rendezvous::Receiver receiver) {
    const auto call = std::make_shared<LaneCall>(lane);
    Register(call);
    call->SetId(lane->Ask(request.step_id(), request.rendezvous_key(),
                          [self = shared_from_this(), call,
                           receiver = std::move(receiver)](StatusOr<Rendezvous::Value> value) {
                            receiver(self->EndOnLane(*call, std::move(value)));
                          }));
    return call;
  }

  StatusOr<Rendezvous::Value> EndOnLane(const LaneCall& call, StatusOr<Rendezvous::Value> value) {
    Status status = Unregister(call, value.status());
    if (status.ok()) return value;
    if (IsUnavailable(status) && status == value.status() && !call.lane->is_open()) {
      status = Unavailable(
          absl::StrCat(task_, " at ", address_, " does not answer: ", status.message()));
    }
    return ToldBy(task_, status);
  }

  Status FromGrpc(const grpc::Status& status) const {
    if (status.ok()) return OkStatus();
    const auto code = static_cast<StatusCode>(status.error_code());
    if (code != StatusCode::kUnavailable && code != StatusCode::kDeadlineExceeded) {
      return Status(code, status.error_message());
    }
    return Status(
        code, absl::StrCat(task_, " at ", address_, " does not answer: ", status.error_message()));
  }

  // Nobody waits for the answer: a sender that does not hear of it forgets the tensor when its step
  // ends.
  void TellReceived(int64_t request_id) {
    using Telling =
        AsyncCall<tensorflow::MarkRecvFinishedRequest, tensorflow::MarkRecvFinishedResponse>;
    const auto call = std::make_shared<Telling>();
    SetDeadline(kTellMs, &call->context);
    call->request.set_request_id(request_id);
    stub_->async()->MarkRecvFinished(&call->context, &call->request, &call->response,
                                     [self = shared_from_this(), call](const grpc::Status&) {});
  }

  StatusOr<Rendezvous::Value> ValueOf(const Status& status, int64_t request_id,
                                      grpc::ByteBuffer* response) {
    WB_RETURN_IF_ERROR(ToldBy(task_, status));
    grpc::ProtoBufferReader bytes(response);
    bool require_ack = false;
    auto value = ReadRecvTensorReply(&bytes, &require_ack);
    if (value.ok() && require_ack) TellReceived(request_id);
    if (value.ok()) return value;
    return Annotate(value.status(), absl::StrCat("a tensor that ", task_, " has sent"));
  }

  const std::string task_;
  const std::string address_;
  PeerWatch& watch_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<tensorflow::WorkerService::Stub> stub_;
  grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> bytes_;
  Heartbeat heartbeat_;
  std::shared_ptr<LaneFinder> lanes_;  // null: tensors come over gRPC alone
  std::mutex mutex_;
  std::map<const Call*, std::shared_ptr<Call>> calls_;  // guarded by the mutex
};

// Calls end on threads that gRPC has for all channels together, and ends with the last of them: on
// one of those threads, if that lets go of the channel, which ends the process. So one stays.
void KeepCallbackThreads() {
  struct Kept {
    const std::shared_ptr<grpc::Channel> channel = grpc::CreateChannel("", nullptr);
    grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer> stub{channel};
    grpc::ClientContext context;
    const grpc::Slice nothing = grpc::Slice("");
    grpc::ByteBuffer request{&nothing, 1};
    grpc::ByteBuffer response;
  };
  // A plain pointer that nobody reads would not be stored, and what it points to be a leak.
  static std::atomic<Kept*> kept{nullptr};
  static std::once_flag once;
  std::call_once(once, [] {
    auto* const made = new Kept;
    made->stub.UnaryCall(&made->context, "/none", grpc::StubOptions(), &made->request,
                         &made->response, [](const grpc::Status&) {});
    kept.store(made);
  });
}

}  // namespace

std::shared_ptr<PeerDirectory> NewGrpcPeers(const ClusterSpec& cluster, const TlsFiles& tls) {
  KeepCallbackThreads();
  auto watch = std::make_shared<PeerWatch>();
  auto peers = std::make_shared<PeerDirectory>(watch);
  std::map<std::string, std::string> addresses;
  for (const auto& [job, tasks] : cluster.jobs()) {
    for (const auto& [task, address] : tasks) {
      const std::string name = TaskName(job, task);
      const auto peer = std::make_shared<GrpcPeer>(name, address, tls, watch.get());
      watch->Add(peer);
      peers->Add(name, peer);
      addresses[name] = address;
    }
  }
  peers->set_communicators(SocketCommunicators(std::move(addresses), tls));
  peers->set_is_encrypted(tls.is_set());
  return peers;
}

ConnectTasks GrpcConnector(const TlsFiles& tls) {
  return [tls](const tensorflow::ClusterDef& cluster) -> StatusOr<std::shared_ptr<PeerDirectory>> {
    WB_ASSIGN_OR_RETURN(const ClusterSpec spec, ClusterSpecFromProto(cluster));
    return NewGrpcPeers(spec, tls);
  };
}

}  // namespace warpbeam
