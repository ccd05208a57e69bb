#include "runtime/dist/lane/lane_client.h"

#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "runtime/dist/lane/lane_reader.h"
#include "runtime/dist/lane/lane_sender.h"
#include "runtime/thread/new_thread.h"

namespace warpbeam {
namespace {

uint64_t NewLaneNumber() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

Status ErrorOf(const LaneHeader& header, const std::string& message) {
  const auto code = static_cast<StatusCode>(header.status);
  if (header.status == 0 || header.status > 16) return Unknown(message);
  return Status(code, message);
}

}  // namespace

struct LaneClient::State {
  State(Socket small_socket, Socket bulk_socket)
      : small(std::move(small_socket)), bulk(std::move(bulk_socket)), sender(&small) {}

  // Null where nobody waits for it any more.
  Rendezvous::Receiver TakeReceiver(uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = receivers.find(id);
    if (found == receivers.end()) return nullptr;
    Rendezvous::Receiver receiver = std::move(found->second);
    receivers.erase(found);
    return receiver;
  }

  void Close(const Status& why) {
    std::map<uint64_t, Rendezvous::Receiver> left;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (closed.ok()) closed = why;
      left.swap(receivers);
    }
    small.ShutDown();
    bulk.ShutDown();
    for (auto& [id, receiver] : left) receiver(why);
  }

  // Answers, until the connection ends.
  Status ReadAll(Socket* socket) {
    LaneReader reader(socket);
    LaneHeader header;
    std::string head;
    while (true) {
      WB_RETURN_IF_ERROR(reader.Next(kMostHeadBytes, &header, &head));
      if (header.kind == LaneKind::kError) {
        if (Rendezvous::Receiver receiver = TakeReceiver(header.id)) {
          receiver(ErrorOf(header, head));
        }
        continue;
      }
      if (header.kind != LaneKind::kValue) return InvalidArgument("no answer of a lane");
      StatusOr<Rendezvous::Value> value = ReadValue(&reader, header, head);
      // Where the values were not read, nothing after them can be.
      const Status broken = header.value_bytes > 0 ? value.status() : OkStatus();
      if (Rendezvous::Receiver receiver = TakeReceiver(header.id)) receiver(std::move(value));
      WB_RETURN_IF_ERROR(broken);
    }
  }

  static StatusOr<Rendezvous::Value> ReadValue(LaneReader* reader, const LaneHeader& header,
                                               const std::string& head) {
    Rendezvous::Value value;
    value.is_dead = (header.flags & LaneHeader::kDead) != 0;
    if (value.is_dead && header.value_bytes == 0) return value;
    if (header.value_bytes == 0) {
      WB_ASSIGN_OR_RETURN(value.tensor, ParseTensor(head));
      return value;
    }
    WB_ASSIGN_OR_RETURN(value.tensor, TensorForValues(head, header.value_bytes));
    WB_RETURN_IF_ERROR(reader->ReadValues(value.tensor.raw_data(), header.value_bytes));
    return value;
  }

  Socket small, bulk;
  LaneSender sender;
  mutable std::mutex mutex;  // of what follows
  Status closed;
  uint64_t next_id = 1;
  std::map<uint64_t, Rendezvous::Receiver> receivers;
};

LaneClient::LaneClient(std::shared_ptr<State> state) : state_(std::move(state)) {}

StatusOr<std::unique_ptr<LaneClient>> LaneClient::Connect(const std::string& host,
                                                          const LaneAddress& address,
                                                          int timeout_ms, const TlsFiles& tls) {
  LaneHello hello;
  hello.token = address.token;
  hello.lane = NewLaneNumber();
  if (hello.token.size() != LaneHello::kTokenBytes) return InvalidArgument("no token of a lane");
  const auto greet = [&](Socket* socket) -> Status {
    const LaneFrame frame = HelloFrame(hello);
    iovec bytes = {const_cast<char*>(frame.bytes.data()), frame.bytes.size()};
    WB_ASSIGN_OR_RETURN(const size_t written, socket->Write(MakeSpan(&bytes, 1), true));
    if (written < frame.bytes.size()) return Unavailable("the hello was not taken");
    return OkStatus();
  };
  WB_ASSIGN_OR_RETURN(Socket small, Socket::Connect(host, address.port, timeout_ms));
  WB_RETURN_IF_ERROR(small.StartTls(tls, host, timeout_ms));
  WB_RETURN_IF_ERROR(greet(&small));
  small.SetReadTimeout(timeout_ms);
  LaneHeader answer;
  char head[LaneHello::kTokenBytes + sizeof(uint64_t) + 1];
  WB_RETURN_IF_ERROR(small.Read(&answer, sizeof(answer)));
  WB_RETURN_IF_ERROR(CheckHeader(answer, sizeof(head)));
  if (answer.kind != LaneKind::kHello) return InvalidArgument("no hello of a lane");
  WB_RETURN_IF_ERROR(small.Read(head, answer.head_bytes));
  small.SetReadTimeout(0);
  hello.is_bulk = true;
  WB_ASSIGN_OR_RETURN(Socket bulk, Socket::Connect(host, address.port, timeout_ms));
  WB_RETURN_IF_ERROR(bulk.StartTls(tls, host, timeout_ms));
  WB_RETURN_IF_ERROR(greet(&bulk));

  std::unique_ptr<LaneClient> client(
      new LaneClient(std::make_shared<State>(std::move(small), std::move(bulk))));
  for (Socket* socket : {&client->state_->small, &client->state_->bulk}) {
    WB_ASSIGN_OR_RETURN(std::thread reader, NewThread([state = client->state_, socket] {
                          const Status ended = state->ReadAll(socket);
                          state->Close(Unavailable(ended.message()));
                        }));
    client->readers_.push_back(std::move(reader));
  }
  return client;
}

LaneClient::~LaneClient() {
  state_->Close(Cancelled("the lane was closed"));
  for (std::thread& reader : readers_) {
    // A receiver that it has called may have been the last to need it.
    if (reader.get_id() == std::this_thread::get_id()) {
      reader.detach();
    } else {
      reader.join();
    }
  }
}

uint64_t LaneClient::Ask(int64_t step_id, absl::string_view key, Rendezvous::Receiver receiver) {
  uint64_t id = 0;
  Status closed;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    closed = state_->closed;
    id = state_->next_id++;
    if (closed.ok()) state_->receivers[id] = std::move(receiver);
  }
  if (closed.ok()) {
    state_->sender.Send(AskFrame(id, step_id, key));
  } else {
    receiver(closed);
  }
  return id;
}

void LaneClient::Cancel(uint64_t id, const Status& why) {
  Rendezvous::Receiver receiver = state_->TakeReceiver(id);
  if (receiver == nullptr) return;
  state_->sender.Send(ForgetFrame(id));
  receiver(why);
}

bool LaneClient::is_open() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->closed.ok();
}

}  // namespace warpbeam
