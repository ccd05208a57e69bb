#include "runtime/dist/testing/relay.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <initializer_list>

namespace warpbeam {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

}  // namespace

Relay::Relay(int port) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, at, size) != 0 || listen(listener_, 1) != 0) return;
  if (getsockname(listener_, at, &size) == 0) port_ = ntohs(address.sin_port);
  there_ = std::thread([this, port] {
    client_ = accept(listener_, nullptr, nullptr);
    server_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to = Loopback(port);
    if (connect(server_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return;
    back_ = std::thread([this] { Pump(server_, client_); });
    Pump(client_, server_);
  });
}

Relay::~Relay() {
  if (there_.joinable()) there_.join();
  if (back_.joinable()) back_.join();
  for (int s : {client_.load(), server_.load(), listener_}) {
    if (s >= 0) close(s);
  }
}

void Relay::Cut() {
  for (int s : {client_.load(), server_.load(), listener_}) shutdown(s, SHUT_RDWR);
}

void Relay::Pump(int from, int to) {
  char bytes[4096];
  for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;) {
    if (send(to, bytes, static_cast<size_t>(n), MSG_NOSIGNAL) != n) return;
  }
}

}  // namespace warpbeam
