#include "runtime/dist/lane/lane_server.h"

#include <utility>
#include <vector>

#include "runtime/dist/lane/lane_reader.h"
#include "runtime/dist/lane/lane_sender.h"

namespace warpbeam {
namespace {

// Who connects says hello within this time.
constexpr int kHelloMs = 2000;
// What one lane may wait for at a time.
constexpr size_t kMostAsks = 100'000;

}  // namespace

// Of one other task. Receivers share it.
class LaneServer::Lane : public std::enable_shared_from_this<LaneServer::Lane> {
 public:
  explicit Lane(std::shared_ptr<Socket> socket)
      : socket_(std::move(socket)), sender_(socket_.get()) {}
  ~Lane() { Close(); }

  // Lets the other side know that it was let in.
  void Greet() { sender_.Send(HelloFrame(LaneHello())); }

  // Large values go there from now on.
  void AddBulk(std::shared_ptr<Socket> socket) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_closed_ || bulk_ != nullptr) return socket->ShutDown();
    bulk_socket_ = std::move(socket);
    bulk_ = std::make_unique<LaneSender>(bulk_socket_.get());
  }

  Status Ask(uint64_t id, const LaneAsk& ask, const Source& source) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (asked_.size() >= kMostAsks) return ResourceExhausted("more than ", kMostAsks, " asks");
      if (!asked_.emplace(id, nullptr).second) return InvalidArgument("two asks of one number");
    }
    Forget forget = source(
        ask, [self = shared_from_this(), id](auto value) { self->Answer(id, std::move(value)); });
    std::unique_lock<std::mutex> lock(mutex_);
    const auto found = asked_.find(id);
    if (found != asked_.end()) {
      found->second = std::move(forget);
    } else if (is_closed_ && forget) {
      lock.unlock();
      forget();
    }
    return OkStatus();
  }

  void ForgetAsk(uint64_t id) {
    Forget forget;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto found = asked_.find(id);
      if (found == asked_.end()) return;
      forget = std::move(found->second);
      asked_.erase(found);
    }
    if (forget) forget();
  }

  void Close() {
    std::map<uint64_t, Forget> left;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      is_closed_ = true;
      left.swap(asked_);
      if (bulk_socket_ != nullptr) bulk_socket_->ShutDown();
    }
    socket_->ShutDown();
    for (auto& [id, forget] : left) {
      if (forget) forget();
    }
  }

 private:
  void Answer(uint64_t id, StatusOr<Rendezvous::Value> value) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (asked_.erase(id) == 0) return;
    }
    StatusOr<LaneFrame> frame =
        value.ok() ? ValueFrame(id, *value) : ErrorFrame(id, value.status());
    if (!frame.ok()) frame = ErrorFrame(id, frame.status());
    LaneSender* bulk = nullptr;
    if (frame->size() >= kBulkBytes) {
      std::lock_guard<std::mutex> lock(mutex_);
      bulk = bulk_.get();
    }
    const bool is_large = frame->size() >= kBulkBytes;
    (bulk != nullptr ? *bulk : sender_).Send(*std::move(frame), /*at_once=*/!is_large);
  }

  const std::shared_ptr<Socket> socket_;
  LaneSender sender_;
  std::mutex mutex_;  // of what follows
  bool is_closed_ = false;
  std::map<uint64_t, Forget> asked_;
  std::shared_ptr<Socket> bulk_socket_;
  std::unique_ptr<LaneSender> bulk_;
};

StatusOr<std::unique_ptr<LaneServer>> LaneServer::Start(const std::string& host, Source source,
                                                        const TlsFiles& tls) {
  std::unique_ptr<LaneServer> server(new LaneServer);
  server->source_ = std::move(source);
  server->tls_ = tls;
  server->token_ = NewToken(LaneHello::kTokenBytes);
  WB_ASSIGN_OR_RETURN(server->listener_, SocketListener::Open(host));
  WB_ASSIGN_OR_RETURN(server->accepts_, NewThread([at = server.get()] { at->AcceptAll(); }));
  return server;
}

void LaneServer::AcceptAll() {
  while (true) {
    StatusOr<Socket> accepted = listener_->Accept();
    if (!accepted.ok()) return;
    const auto socket = std::make_shared<Socket>(*std::move(accepted));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (has_stopped_) return;
      sockets_[socket.get()] = socket;
    }
    // Where no thread is left the connection is closed; the other side goes on over gRPC.
    threads_.Start([this, socket] { Serve(socket); }).IgnoreError();
  }
}

void LaneServer::Serve(std::shared_ptr<Socket> socket) {
  struct Gone {
    ~Gone() {
      std::lock_guard<std::mutex> lock(server.mutex_);
      server.sockets_.erase(socket);
    }
    LaneServer& server;
    const Socket* socket;
  };
  const Gone gone{*this, socket.get()};
  if (!socket->StartTls(tls_, "", kHelloMs).ok()) return;
  LaneReader reader(socket.get());
  LaneHeader header;
  std::string head;
  socket->SetReadTimeout(kHelloMs);
  if (!reader.Next(kMostAskBytes, &header, &head).ok() || header.kind != LaneKind::kHello) return;
  const StatusOr<LaneHello> hello = ParseHello(head);
  if (!hello.ok() || hello->token != token_) return;
  socket->SetReadTimeout(0);
  if (hello->is_bulk) return ServeBulk(*hello, std::move(socket));
  const auto lane = std::make_shared<Lane>(socket);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (has_stopped_ || !lanes_.emplace(hello->lane, lane).second) return;
  }
  lane->Greet();
  while (reader.Next(kMostAskBytes, &header, &head).ok()) {
    if (header.kind == LaneKind::kForget) {
      lane->ForgetAsk(header.id);
      continue;
    }
    const StatusOr<LaneAsk> ask = ParseAsk(head);
    if (header.kind != LaneKind::kAsk || !ask.ok()) break;
    if (!lane->Ask(header.id, *ask, source_).ok()) break;
  }
  lane->Close();
  std::lock_guard<std::mutex> lock(mutex_);
  lanes_.erase(hello->lane);
}

// The lane's values go out there; nothing comes in, and its end is the end of the lane.
void LaneServer::ServeBulk(const LaneHello& hello, std::shared_ptr<Socket> socket) {
  std::shared_ptr<Lane> lane;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = lanes_.find(hello.lane);
    if (found == lanes_.end()) return;
    lane = found->second;
  }
  lane->AddBulk(socket);
  char byte = 0;
  socket->ReadSome(&byte, 1).status().IgnoreError();
  lane->Close();
}

void LaneServer::Stop() {
  std::map<uint64_t, std::shared_ptr<Lane>> lanes;
  std::vector<std::shared_ptr<Socket>> sockets;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (has_stopped_) return;
    has_stopped_ = true;
    lanes.swap(lanes_);
    for (const auto& [at, socket] : sockets_) sockets.push_back(socket.lock());
  }
  listener_->ShutDown();
  for (const auto& socket : sockets) {
    if (socket != nullptr) socket->ShutDown();
  }
  for (const auto& [number, lane] : lanes) lane->Close();
  if (accepts_.joinable()) accepts_.join();
}

}  // namespace warpbeam
