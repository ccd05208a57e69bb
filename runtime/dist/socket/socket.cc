#include "runtime/dist/socket/socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "runtime/dist/socket/tls_stream.h"

namespace warpbeam {
namespace {

constexpr size_t kRecordBytes = size_t{16} << 10;  // TLS's

Status Failed(absl::string_view what, int error) {
  return Unavailable(what, ": ", std::strerror(error));
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

StatusOr<Addresses> Resolve(absl::string_view host, int port, bool listens) {
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (listens ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(std::string(host).c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return Unavailable("cannot find ", host, ": ", gai_strerror(error));
  }
  return Addresses(found);
}

// Nothing where there is nothing now and `flags` say not to wait.
StatusOr<size_t> ReceiveOn(int descriptor, void* to, size_t bytes, int flags) {
  while (true) {
    const ssize_t read = recv(descriptor, to, bytes, flags);
    if (read > 0) return static_cast<size_t>(read);
    if (read == 0) return Unavailable("the connection was closed");
    if (errno == EAGAIN || errno == EWOULDBLOCK) return size_t{0};
    if (errno != EINTR) return Failed("reading", errno);
  }
}

// Small frames go at once.
void SetNoDelay(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Status ConnectWithin(int descriptor, const addrinfo& to, int timeout_ms) {
  const int flags = fcntl(descriptor, F_GETFL);
  fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  if (connect(descriptor, to.ai_addr, to.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return Failed("connecting", errno);
    pollfd waits = {descriptor, POLLOUT, 0};
    const int ready = poll(&waits, 1, timeout_ms);
    if (ready < 0) return Failed("connecting", errno);
    if (ready == 0) return Failed("connecting", ETIMEDOUT);
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Failed("connecting", error);
  }
  fcntl(descriptor, F_SETFL, flags);
  return OkStatus();
}

}  // namespace

Socket::Socket() = default;
Socket::Socket(int descriptor) : descriptor_(descriptor) {}
Socket::Socket(Socket&& other) noexcept { *this = std::move(other); }

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(read_timeout_ms_, other.read_timeout_ms_);
  tls_.swap(other.tls_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) close(descriptor_);
}

StatusOr<Socket> Socket::Connect(const std::string& host, int port, int timeout_ms) {
  WB_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(host, port, /*listens=*/false));
  Status last = Unavailable(host, " has no address");
  for (const addrinfo* to = addresses.get(); to != nullptr; to = to->ai_next) {
    Socket made(socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC, to->ai_protocol));
    if (!made.is_open()) {
      last = Failed("a socket", errno);
      continue;
    }
    last = ConnectWithin(made.descriptor_, *to, timeout_ms);
    if (!last.ok()) continue;
    SetNoDelay(made.descriptor_);
    return made;
  }
  return last;
}

Status Socket::StartTls(const TlsFiles& tls, const std::string& host, int timeout_ms) {
  if (!tls.is_set()) return OkStatus();
  absl::string_view name = host;
  if (absl::ConsumePrefix(&name, "[")) absl::ConsumeSuffix(&name, "]");
  WB_ASSIGN_OR_RETURN(tls_, TlsStream::Create(descriptor_, tls, std::string(name)));
  return tls_->ShakeHands(timeout_ms);
}

StatusOr<size_t> Socket::ReadNow(void* to, size_t bytes) {
  return tls_ != nullptr ? tls_->ReadNow(to, bytes)
                         : ReceiveOn(descriptor_, to, bytes, MSG_DONTWAIT);
}

StatusOr<size_t> Socket::ReadSome(void* to, size_t bytes) {
  // Most reads are of one who has nothing else to do: they wait in the kernel.
  if (tls_ == nullptr && read_timeout_ms_ == 0) return ReceiveOn(descriptor_, to, bytes, 0);
  while (true) {
    WB_ASSIGN_OR_RETURN(const size_t read, ReadNow(to, bytes));
    if (read > 0) return read;
    pollfd waits = {descriptor_, POLLIN, 0};
    const int ready = poll(&waits, 1, read_timeout_ms_ > 0 ? read_timeout_ms_ : -1);
    if (ready == 0) return DeadlineExceeded("nothing came in time");
    if (ready < 0 && errno != EINTR) return Failed("reading", errno);
  }
}

Status Socket::Read(void* to, size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    WB_ASSIGN_OR_RETURN(const size_t read, ReadSome(at, bytes));
    at += read;
    bytes -= read;
  }
  return OkStatus();
}

StatusOr<size_t> Socket::WriteNow(Span<iovec> pieces) {
  if (tls_ != nullptr) {
    // Small pieces travel in one record.
    char together[kRecordBytes];
    size_t size = 0;
    for (const iovec& piece : pieces) {
      if (piece.iov_len > sizeof(together) - size) break;
      if (piece.iov_len > 0) std::memcpy(together + size, piece.iov_base, piece.iov_len);
      size += piece.iov_len;
    }
    if (size > 0) return tls_->WriteNow(together, size);
    if (pieces.empty() || pieces[0].iov_len == 0) return size_t{0};
    return tls_->WriteNow(pieces[0].iov_base, pieces[0].iov_len);
  }
  msghdr message = {};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  while (true) {
    const ssize_t written = sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written >= 0) return static_cast<size_t>(written);
    if (errno == EAGAIN || errno == EWOULDBLOCK) return size_t{0};
    if (errno != EINTR) return Failed("writing", errno);
  }
}

StatusOr<size_t> Socket::Write(Span<iovec> pieces, bool blocks) {
  while (true) {
    WB_ASSIGN_OR_RETURN(const size_t written, WriteNow(pieces));
    if (written > 0 || !blocks) return written;
    pollfd waits = {descriptor_, POLLOUT, 0};
    if (poll(&waits, 1, -1) < 0 && errno != EINTR) return Failed("writing", errno);
  }
}

void Socket::ShutDown() {
  if (descriptor_ >= 0) shutdown(descriptor_, SHUT_RDWR);
}

std::string NewToken(size_t bytes) {
  std::random_device random;
  std::string token;
  while (token.size() < bytes) token.push_back(static_cast<char>(random()));
  return token;
}

StatusOr<std::unique_ptr<SocketListener>> SocketListener::Open(const std::string& host) {
  WB_ASSIGN_OR_RETURN(const Addresses addresses, Resolve(host, 0, /*listens=*/true));
  std::unique_ptr<SocketListener> listener(new SocketListener);
  const addrinfo& at = *addresses;
  listener->descriptor_ = socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol);
  if (listener->descriptor_ < 0) return Failed("a socket", errno);
  constexpr int kBacklog = 128;
  if (bind(listener->descriptor_, at.ai_addr, at.ai_addrlen) != 0 ||
      listen(listener->descriptor_, kBacklog) != 0) {
    return Failed(absl::StrCat("listening on ", host), errno);
  }
  sockaddr_storage own = {};
  socklen_t size = sizeof(own);
  if (getsockname(listener->descriptor_, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    return Failed("listening", errno);
  }
  listener->port_ =
      ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(own).sin6_port
                                      : reinterpret_cast<const sockaddr_in&>(own).sin_port);
  return listener;
}

SocketListener::~SocketListener() {
  if (descriptor_ >= 0) close(descriptor_);
}

StatusOr<Socket> SocketListener::Accept() {
  while (true) {
    const int accepted = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted >= 0) {
      SetNoDelay(accepted);
      return Socket(accepted);
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    // Out of descriptors: others may give some back.
    if (errno == EMFILE || errno == ENFILE) {
      constexpr int kMoment = 50;
      poll(nullptr, 0, kMoment);
      continue;
    }
    return Failed("accepting", errno);
  }
}

void SocketListener::ShutDown() { shutdown(descriptor_, SHUT_RDWR); }

}  // namespace warpbeam
