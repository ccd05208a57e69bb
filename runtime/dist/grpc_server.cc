#include "runtime/dist/grpc_server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/async_unary_call.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "proto/worker.pb.h"
#include "runtime/dist/grpc_methods.h"
#include "runtime/dist/lane/lane_server.h"
#include "runtime/dist/listening.h"
#include "runtime/dist/tls.h"
#include "runtime/dist/transfer_sizes.h"
#include "runtime/kernel/cancellation.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

// Threads that wait for calls; those that end with more of them waiting go.
constexpr int kWaitingThreads = 16;
// A status travels in a header, of which clients take 8 KiB; what is no letter counts thrice.
constexpr size_t kMaxStatusBytes = 2000;
// Requests of less are not counted, but for what a call costs that waits without a thread.
constexpr int64_t kSmallRequest = 4096;
constexpr int64_t kWaitingBytes = 8192;
// A client whose machine has gone says nothing; so it is asked.
constexpr int kServerAskMs = 60000;

grpc::Status ToGrpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  std::string text(status.message());
  if (text.size() > kMaxStatusBytes) text.replace(kMaxStatusBytes, std::string::npos, " […]");
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), text);
}

// The methods as gRPC knows them: bytes in, bytes out, for generated services copy what they send.
class Methods final : public grpc::Service {
 public:
  Methods() {
    for (size_t i = 0; i < GrpcMethods().size(); ++i) {
      AddMethod(new grpc::internal::RpcServiceMethod(
          GrpcMethods()[i].name, grpc::internal::RpcMethod::NORMAL_RPC, nullptr));
      MarkMethodRaw(static_cast<int>(i));
    }
  }
  // The next call of a method: `tag` comes out of the queue once it is there.
  void Await(int method, grpc::ServerContext* context, grpc::ByteBuffer* request,
             grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>* writer,
             grpc::ServerCompletionQueue* queue, void* tag) {
    RequestAsyncUnary(method, context, request, writer, queue, queue, tag);
  }
};

const GrpcMethod& MethodOf(int number) { return GrpcMethods()[static_cast<size_t>(number)]; }

class GrpcServerImpl;

constexpr char kGone[] = "the client has cancelled the call, or has gone";

// One call, from the wait for it until its answer is out. It deletes itself.
class Call {
 public:
  // What comes out of the queue.
  struct Event {
    // For gRPC, which may hand it to another thread. Its queue orders the two; that is said here
    // once more for tools that do not look into libraries.
    void* ToGive() {
      is_given.store(true, std::memory_order_release);
      return this;
    }
    void Take(bool ok) {
      is_given.load(std::memory_order_acquire);
      (call->*on)(ok);
    }

    Call* call;
    void (Call::*on)(bool ok);
    std::atomic<bool> is_given{false};
  };

  Call(GrpcServerImpl* server, int method);

 private:
  void OnArrived(bool ok);
  void Receive();
  Status TakeCharge();
  // The last that is done with the call; `this` may be gone then.
  void Answer(const Status& status, const grpc::ByteBuffer& response);
  // The answer is out, or will never be.
  void OnSent(bool);
  // The call is over; perhaps because the client has cancelled it or is no longer there.
  void OnOver(bool) {
    if (context_.IsCancelled()) {
      cancellation_.Cancel(Cancelled(kGone));
      ForgetReceiver();
    }
    Release();
  }
  // Where a receiver waits, it waits no more.
  void ForgetReceiver();
  void Release() {
    if (--events_ == 0) delete this;
  }

  GrpcServerImpl& server_;
  const int method_;
  Event arrived_{this, &Call::OnArrived};
  Event sent_{this, &Call::OnSent};
  Event over_{this, &Call::OnOver};
  std::atomic<int> events_{2};  // to come after the arrival: sent and over
  grpc::ServerContext context_;
  grpc::ByteBuffer request_;
  grpc::ServerAsyncResponseWriter<grpc::ByteBuffer> writer_{&context_};
  Cancellation cancellation_;
  Charge charge_;
  std::mutex mutex_;  // of what follows
  bool is_gone_ = false;
  ForgetCall forget_;  // null: it will be answered
};

// Once it has begun to stop, how long after the end of its time it waits for threads that have
// nothing left to do.
constexpr int kLastMomentMs = 500;
// How long gRPC has to end once all answers are out.
constexpr int kLostCallMs = 200;

// Threads take events from one queue. A call runs in the thread that took it, and another waits in
// its place before it begins, so that there always is one to hear that a call has been cancelled.
// Its threads share it, those of calls that are left behind, too.
class GrpcServerImpl final : public std::enable_shared_from_this<GrpcServerImpl> {
 public:
  GrpcServerImpl(Master* master, const GrpcServerOptions& options)
      : accounts(std::make_shared<ClientAccounts>(options.limits)),
        master_(*master),
        max_calls_(options.max_calls) {}

  const std::shared_ptr<ClientAccounts> accounts;

  Status Listen(const GrpcServerOptions& options);
  int port() const { return port_; }
  int calls_under_way() const { return calls_; }
  bool Stop(int64_t timeout_ms);

  // For a Call: the next request goes there.
  void Await(int method, grpc::ServerContext* context, grpc::ByteBuffer* request,
             grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>* writer, void* tag) {
    methods_.Await(method, context, request, writer, queue_.get(), tag);
  }
  Status Handle(int method, grpc::ByteBuffer* request, Cancellation* cancellation, Charge* charge,
                grpc::ByteBuffer* response);
  // RecvTensor. Waiting takes no thread, and so there may be any number of them.
  ForgetCall Receive(int method, grpc::ByteBuffer* request, CallDone done);
  // From a call's arrival until its answer is given to gRPC, and then until it is out.
  void BeginAnswer();
  void EndAnswer();
  void EndSending();

 private:
  using Clock = std::chrono::system_clock;  // gRPC's

  // False where the machine has no thread left.
  bool AddThread();
  void ServeThread();
  // Takes events until the queue is shut down and empty, or this thread is one too many.
  void Dispatch();
  // This thread, which waits no more if it is.
  bool IsSurplus();
  // Ends gRPC's part: waits for answers as long as they take, those after `end` go nowhere.
  void ShutDown(Clock::time_point end);
  void OpenLanes(const GrpcServerOptions& options);

  Master& master_;
  const int max_calls_;
  int port_ = 0;
  Methods methods_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<LaneServer> lanes_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> calls_{0};
  std::atomic<int> waiting_{0};  // threads at the queue
  std::mutex mutex_;
  std::condition_variable ended_;
  int threads_ = 0;
  int answering_ = 0;
  int unsent_ = 0;  // those, and answers that are not out yet
  bool is_shut_down_ = false;
};

class GrpcServerHandle final : public GrpcServer {
 public:
  explicit GrpcServerHandle(std::shared_ptr<GrpcServerImpl> server) : server_(std::move(server)) {}
  ~GrpcServerHandle() override { Stop(5000); }
  int port() const override { return server_->port(); }
  int calls_under_way() const override { return server_->calls_under_way(); }
  const ClientAccounts& accounts() const override { return *server_->accounts; }
  bool Stop(int64_t timeout_ms) override { return server_->Stop(timeout_ms); }

 private:
  const std::shared_ptr<GrpcServerImpl> server_;
};

Call::Call(GrpcServerImpl* server, int method) : server_(*server), method_(method) {
  context_.AsyncNotifyWhenDone(over_.ToGive());
  server_.Await(method_, &context_, &request_, &writer_, arrived_.ToGive());
}

void Call::OnArrived(bool ok) {
  if (!ok) {  // the server stops; nothing else will come
    delete this;
    return;
  }
  server_.BeginAnswer();
  new Call(&server_, method_);
  if (Status charged = TakeCharge(); !charged.ok()) return Answer(charged, {});
  if (MethodOf(method_).waits()) return Receive();
  grpc::ByteBuffer response;
  const Status status = server_.Handle(method_, &request_, &cancellation_, &charge_, &response);
  Answer(status, response);
}

Status Call::TakeCharge() {
  const GrpcMethod& method = MethodOf(method_);
  Holding holding = method.keeps;
  const auto bytes = static_cast<int64_t>(request_.Length());
  // What ends something is never refused, and is small.
  if (bytes > kSmallRequest || method.keeper != nullptr) holding.bytes = bytes;
  if (MethodOf(method_).waits()) holding.bytes = bytes + kWaitingBytes;
  if (holding.bytes == 0) return OkStatus();
  WB_RETURN_IF_ERROR(server_.accounts->CheckMessage(bytes));
  WB_ASSIGN_OR_RETURN(charge_,
                      server_.accounts->Take(ClientAccounts::ClientOf(context_.peer()), holding));
  return OkStatus();
}

void Call::Answer(const Status& status, const grpc::ByteBuffer& response) {
  // Once the answer is given the call may be over, and with the last of them the server. gRPC notes
  // the answer in the call while it takes it, so the call stays until that is done.
  const std::shared_ptr<GrpcServerImpl> server = server_.shared_from_this();
  ++events_;
  if (status.ok()) {
    writer_.Finish(response, grpc::Status::OK, sent_.ToGive());
  } else {
    writer_.FinishWithError(ToGrpc(status), sent_.ToGive());
  }
  server->EndAnswer();
  Release();
}

void Call::OnSent(bool) {
  server_.EndSending();
  Release();
}

void Call::Receive() {
  ++events_;  // this one
  ForgetCall forget = server_.Receive(
      method_, &request_,
      [this](const Status& status, const grpc::ByteBuffer& out) { Answer(status, out); });
  bool is_gone = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    forget_ = std::move(forget);
    is_gone = is_gone_;
  }
  if (is_gone) ForgetReceiver();
  Release();
}

void Call::ForgetReceiver() {
  ForgetCall forget;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_gone_ = true;
    forget.swap(forget_);
  }
  if (forget != nullptr && forget()) Answer(Cancelled(kGone), {});
}

Status GrpcServerImpl::Listen(const GrpcServerOptions& options) {
  WB_RETURN_IF_ERROR(CheckCanListen(options.host, options.port));
  const std::string address = absl::StrCat(options.host, ":", options.port);
  grpc::ServerBuilder builder;
  const int64_t most = options.limits.max_message_bytes;
  builder.SetMaxReceiveMessageSize(most <= 0 || most > INT32_MAX / 2 ? -1
                                                                     : static_cast<int>(2 * most));
  builder.SetMaxSendMessageSize(-1);
  for (const auto& [name, value] : kTransferSizes) builder.AddChannelArgument(name, value);
  // Two servers on one port would share its clients at random.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kServerAskMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kServerAskMs);
  builder.AddListeningPort(address, ServerCredentialsFor(options.tls), &port_);
  builder.RegisterService(&methods_);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    if (server_ != nullptr) server_->Shutdown();
    queue_->Shutdown();
    Dispatch();
    server_.reset();
    return Unavailable("cannot listen on ", address, ": is another server there?");
  }
  for (size_t i = 0; i < GrpcMethods().size(); ++i) new Call(this, static_cast<int>(i));
  const bool has_threads = AddThread() && AddThread();
  if (!has_threads) return ResourceExhausted("no threads are left to serve with");
  OpenLanes(options);
  return OkStatus();
}

// Where they cannot be opened, tensors go over gRPC.
void GrpcServerImpl::OpenLanes(const GrpcServerOptions& options) {
  Worker& worker = master_.worker();
  const auto source = [this, &worker](const LaneAsk& ask, Rendezvous::Receiver receiver) {
    if (stopping_) {
      receiver(Unavailable("the server is stopping"));
      return LaneServer::Forget();
    }
    tensorflow::RecvTensorRequest request;
    request.set_step_id(ask.step_id);
    request.set_rendezvous_key(ask.key);
    const Worker::Receiving waits = worker.RecvTensor(request, std::move(receiver));
    return waits.number == 0 ? LaneServer::Forget()
                             : LaneServer::Forget([waits] { waits.Forget(); });
  };
  auto lanes = LaneServer::Start(options.host, source, options.tls);
  if (!lanes.ok()) return;
  lanes_ = *std::move(lanes);
  worker.AnnounceLane(lanes_->port(), lanes_->token());
}

bool GrpcServerImpl::AddThread() {
  std::lock_guard<std::mutex> lock(mutex_);
  ++waiting_;
  StatusOr<std::thread> thread = NewThread([self = shared_from_this()] { self->ServeThread(); });
  if (!thread.ok()) {
    --waiting_;
    return false;
  }
  thread->detach();
  ++threads_;
  return true;
}

bool GrpcServerImpl::IsSurplus() {
  if (waiting_ <= kWaitingThreads) return false;
  if (--waiting_ >= kWaitingThreads) return true;
  ++waiting_;  // others have gone meanwhile
  return false;
}

void GrpcServerImpl::Dispatch() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    static_cast<Call::Event*>(tag)->Take(ok);
    if (IsSurplus()) return;
  }
}

void GrpcServerImpl::ServeThread() {
  Dispatch();
  std::lock_guard<std::mutex> lock(mutex_);
  --threads_;
  ended_.notify_all();
}

Status GrpcServerImpl::Handle(int method, grpc::ByteBuffer* request, Cancellation* cancellation,
                              Charge* charge, grpc::ByteBuffer* response) {
  struct Counted {
    explicit Counted(std::atomic<int>* count) : count_(*count) { ++count_; }
    ~Counted() { --count_; }
    std::atomic<int>& count_;
  };
  const Counted under_way(&calls_);
  if (stopping_) return Unavailable("the server is stopping");
  if (calls_ > max_calls_) {
    return ResourceExhausted("there are ", max_calls_, " calls under way; try again later");
  }
  if (--waiting_ == 0 && !AddThread()) {
    ++waiting_;
    return ResourceExhausted("no thread is left for this call; try again later");
  }
  const GrpcMethod& asked = MethodOf(method);
  const Status status =
      asked.keeper != nullptr
          ? asked.keeper(master_, request, cancellation, std::move(*charge), response)
          : asked.handler(master_, request, cancellation, response);
  ++waiting_;
  return status;
}

ForgetCall GrpcServerImpl::Receive(int method, grpc::ByteBuffer* request, CallDone done) {
  if (!stopping_) return MethodOf(method).waiter(master_, request, std::move(done));
  done(Unavailable("the server is stopping"), {});
  return {};
}

void GrpcServerImpl::BeginAnswer() {
  std::lock_guard<std::mutex> lock(mutex_);
  ++answering_;
  ++unsent_;
}

void GrpcServerImpl::EndSending() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (--unsent_ == 0) ended_.notify_all();
}

void GrpcServerImpl::EndAnswer() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (--answering_ == 0) ended_.notify_all();
}

void GrpcServerImpl::ShutDown(Clock::time_point end) {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait_until(lock, end, [&] { return unsent_ == 0; });
  lock.unlock();
  // gRPC may wait for a call that came just before and that it gives to nobody any more.
  server_->Shutdown(std::min(end, Clock::now() + std::chrono::milliseconds(kLostCallMs)));
  lock.lock();
  ended_.wait(lock, [&] { return answering_ == 0; });
  lock.unlock();
  queue_->Shutdown();
  lock.lock();
  is_shut_down_ = true;
  ended_.notify_all();
}

bool GrpcServerImpl::Stop(int64_t timeout_ms) {
  if (server_ == nullptr || stopping_.exchange(true)) return true;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  // What runs here for other tasks' sessions, and what they wait for.
  master_.worker().EndSteps(Unavailable("the server is stopping"));
  master_.worker().AnnounceLane(0, "");
  if (lanes_ != nullptr) lanes_->Stop();
  const bool has_closed = master_.CloseAll(timeout_ms).ok();
  // gRPC waits for its calls without end.
  StatusOr<std::thread> thread =
      NewThread([self = shared_from_this(), end] { self->ShutDown(end); });
  if (!thread.ok()) return false;
  thread->detach();
  std::unique_lock<std::mutex> lock(mutex_);
  const bool has_ended = ended_.wait_until(lock, end + std::chrono::milliseconds(kLastMomentMs),
                                           [&] { return is_shut_down_ && threads_ == 0; });
  lock.unlock();
  if (!has_ended) return false;
  Dispatch();  // should there never have been a thread
  server_.reset();
  return has_closed;
}

}  // namespace

StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                        Master* master) {
  auto server = std::make_shared<GrpcServerImpl>(master, options);
  if (const Status listening = server->Listen(options); !listening.ok()) {
    server->Stop(0);
    return listening;
  }
  return std::make_unique<GrpcServerHandle>(std::move(server));
}

}  // namespace warpbeam
