#include "runtime/dist/socket/group_sockets.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace warpbeam {
namespace {

// All of a group have connected within this time, or it does not form.
constexpr std::chrono::seconds kConnectTime{20};
// Who connects says who it is within this time.
constexpr int kHelloMs = 5000;
// One try to reach another task; between tries this one looks whether it is still to go on.
constexpr int kTryMs = 1000;
constexpr std::chrono::milliseconds kPause{50};
constexpr size_t kMostGreeted = 64;
constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxAddressBytes = 1024;

// What a task that calls says first.
struct Hello {
  char word[8] = {'w', 'b', 'g', 'r', 'o', 'u', 'p', '1'};
  char token[kTokenBytes] = {};
  int32_t rank = -1;
};

struct Address {
  std::string host;
  int port = 0;
  std::string token;
};

StatusOr<Address> ParseGroupAddress(const std::string& text, const std::string& task) {
  const std::vector<std::string> parts = absl::StrSplit(text.substr(0, kMaxAddressBytes), ' ');
  Address address;
  const bool is_one = text.size() <= kMaxAddressBytes && parts.size() == 3 &&
                      absl::SimpleAtoi(parts[1], &address.port) && address.port > 0 &&
                      address.port < 65536 && parts[2].size() == 2 * kTokenBytes;
  if (is_one) {
    address.host = parts[0];
    address.token = absl::HexStringToBytes(parts[2]);
    return address;
  }
  return InvalidArgument(task, " gives no address for collectives");
}

}  // namespace

GroupSockets::GroupSockets(int rank, std::vector<std::string> hosts, std::vector<std::string> names,
                           const TlsFiles& tls)
    : rank_(rank),
      hosts_(std::move(hosts)),
      names_(std::move(names)),
      tls_(tls),
      token_(NewToken(kTokenBytes)),
      sockets_(names_.size()) {}

StatusOr<std::unique_ptr<GroupSockets>> GroupSockets::Listen(const std::string& own_host, int rank,
                                                             std::vector<std::string> hosts,
                                                             std::vector<std::string> names,
                                                             const TlsFiles& tls) {
  std::unique_ptr<GroupSockets> group(
      new GroupSockets(rank, std::move(hosts), std::move(names), tls));
  WB_ASSIGN_OR_RETURN(group->listener_, SocketListener::Open(own_host));
  group->address_ = absl::StrCat(own_host, " ", group->listener_->port(), " ",
                                 absl::BytesToHexString(group->token_));
  WB_ASSIGN_OR_RETURN(group->accepts_, NewThread([at = group.get()] { at->AcceptAll(); }));
  return group;
}

GroupSockets::~GroupSockets() { StopListening(); }

void GroupSockets::AcceptAll() {
  while (true) {
    StatusOr<Socket> accepted = listener_->Accept();
    if (!accepted.ok()) return;
    const auto socket = std::make_shared<Socket>(*std::move(accepted));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (is_aborted_) return;
      if (greeted_.size() >= kMostGreeted) continue;
      greeted_.push_back(socket);
    }
    threads_
        .Start([this, socket] {
          Greet(socket).IgnoreError();  // a stranger is sent away
          std::lock_guard<std::mutex> lock(mutex_);
          greeted_.erase(std::find(greeted_.begin(), greeted_.end(), socket));
          changed_.notify_all();
        })
        .IgnoreError();
  }
}

Status GroupSockets::Greet(const std::shared_ptr<Socket>& socket) {
  WB_RETURN_IF_ERROR(socket->StartTls(tls_, "", kHelloMs));
  Hello hello;
  const Hello expected;
  socket->SetReadTimeout(kHelloMs);
  WB_RETURN_IF_ERROR(socket->Read(&hello, sizeof(hello)));
  socket->SetReadTimeout(0);
  const bool is_known = std::memcmp(hello.word, expected.word, sizeof(hello.word)) == 0 &&
                        std::memcmp(hello.token, token_.data(), kTokenBytes) == 0 &&
                        hello.rank > rank_ && hello.rank < static_cast<int>(sockets_.size());
  if (!is_known) return InvalidArgument("not of the group");
  std::lock_guard<std::mutex> lock(mutex_);
  Socket& place = sockets_[static_cast<size_t>(hello.rank)];
  if (is_aborted_ || place.is_open()) return InvalidArgument("one too many");
  place = std::move(*socket);
  return OkStatus();
}

bool GroupSockets::is_aborted() {
  std::lock_guard<std::mutex> lock(mutex_);
  return is_aborted_;
}

Status GroupSockets::Call(int rank, const std::string& text, Clock::time_point end) {
  const auto at = static_cast<size_t>(rank);
  WB_ASSIGN_OR_RETURN(const Address address, ParseGroupAddress(text, names_[at]));
  Hello hello;
  std::memcpy(hello.token, address.token.data(), kTokenBytes);
  hello.rank = rank_;
  Status last;
  do {
    if (is_aborted()) return Aborted("the group was told to end");
    auto socket = Socket::Connect(address.host, address.port, kTryMs);
    if (socket.ok()) last = socket->StartTls(tls_, hosts_[at], kHelloMs);
    iovec bytes = {&hello, sizeof(hello)};
    if (socket.ok() && last.ok()) {
      const auto sent = socket->Write(MakeSpan(&bytes, 1), /*blocks=*/true);
      last = sent.status();
      if (sent.ok() && *sent == sizeof(hello)) {
        std::lock_guard<std::mutex> lock(mutex_);
        sockets_[at] = *std::move(socket);
        return OkStatus();
      }
    }
    if (!socket.ok()) last = socket.status();
    std::this_thread::sleep_for(kPause);
  } while (Clock::now() < end);
  return Annotate(
      last, absl::StrCat(names_[at], " cannot be reached at ", address.host, ":", address.port));
}

Status GroupSockets::AwaitCallers(Clock::time_point end) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto missing = [this] {
    std::vector<std::string> names;
    for (size_t i = static_cast<size_t>(rank_) + 1; i < sockets_.size(); ++i) {
      if (!sockets_[i].is_open()) names.push_back(names_[i]);
    }
    return names;
  };
  changed_.wait_until(lock, end, [&] { return is_aborted_ || missing().empty(); });
  if (is_aborted_) return Aborted("the group was told to end");
  const std::vector<std::string> names = missing();
  if (names.empty()) return OkStatus();
  return DeadlineExceeded(absl::StrJoin(names, ", "), " did not connect within ",
                          kConnectTime.count(), " s");
}

Status GroupSockets::Connect(const std::vector<std::string>& addresses) {
  const Clock::time_point end = Clock::now() + kConnectTime;
  // All addresses are looked at before anybody is called.
  for (size_t i = 0; i < names_.size(); ++i) {
    if (static_cast<int>(i) == rank_) continue;
    WB_RETURN_IF_ERROR(ParseGroupAddress(addresses[i], names_[i]).status());
  }
  for (int i = 0; i < rank_; ++i) {
    WB_RETURN_IF_ERROR(Call(i, addresses[static_cast<size_t>(i)], end));
  }
  WB_RETURN_IF_ERROR(AwaitCallers(end));
  StopListening();
  return OkStatus();
}

void GroupSockets::StopListening() {
  if (!accepts_.joinable()) return;
  listener_->ShutDown();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& socket : greeted_) socket->ShutDown();
  }
  accepts_.join();
}

void GroupSockets::Abort() {
  std::lock_guard<std::mutex> lock(mutex_);
  is_aborted_ = true;
  changed_.notify_all();
  for (const auto& socket : greeted_) socket->ShutDown();
}

}  // namespace warpbeam
