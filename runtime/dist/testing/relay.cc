#include "runtime/dist/testing/relay.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "gtest/gtest.h"
#include "runtime/dist/testing/loopback.h"

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

Relay::Relay(int to_port, int own_port)
    : to_port_(to_port), port_(own_port == 0 ? FreePort() : own_port) {
  Listen();
}

void Relay::Listen() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address = Loopback(port_);
  socklen_t size = sizeof address;
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(listener, at, size), 0) << "port " << port_;
  EXPECT_EQ(listen(listener, 64), 0);
  EXPECT_EQ(getsockname(listener, at, &size), 0);
  port_ = ntohs(address.sin_port);
  std::lock_guard<std::mutex> lock(mutex_);
  is_cut_ = false;
  listener_ = listener;
  accepting_ = std::thread([this, listener] { Accept(listener); });
}

void Relay::Accept(int listener) {
  for (int near; (near = accept(listener, nullptr, nullptr)) >= 0;) {
    const int far = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to = Loopback(to_port_);
    const bool is_there = connect(far, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_cut_ || !is_there) {
      close(near);
      close(far);
      continue;
    }
    Connection& connection = connections_.emplace_back();
    connection.near = near;
    connection.far = far;
    connection.there = std::thread([this, near, far] { Pump(near, far); });
    connection.back = std::thread([this, near, far] { Pump(far, near); });
  }
}

void Relay::Pump(int from, int to) {
  char bytes[65536];
  for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (delay_.count() > 0) changed_.wait_for(lock, delay_, [this] { return is_cut_; });
    changed_.wait(lock, [this] { return is_cut_ || !is_stalled_; });
    if (is_cut_) break;
    lock.unlock();
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t more = send(to, bytes + sent, static_cast<size_t>(n - sent), MSG_NOSIGNAL);
      if (more <= 0) break;
      sent += more;
    }
  }
  // The other end learns that this one has gone.
  shutdown(from, SHUT_RDWR);
  shutdown(to, SHUT_RDWR);
}

void Relay::Cut() {
  std::list<Connection> cut;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(is_cut_, true)) return;
    changed_.notify_all();
    shutdown(listener_, SHUT_RDWR);
  }
  accepting_.join();
  close(std::exchange(listener_, -1));
  cut.swap(connections_);
  for (const Connection& connection : cut) {
    shutdown(connection.near, SHUT_RDWR);
    shutdown(connection.far, SHUT_RDWR);
  }
  for (Connection& connection : cut) {
    connection.there.join();
    connection.back.join();
    close(connection.near);
    close(connection.far);
  }
}

void Relay::Stall() {
  std::lock_guard<std::mutex> lock(mutex_);
  is_stalled_ = true;
}

void Relay::Delay(std::chrono::milliseconds by) {
  std::lock_guard<std::mutex> lock(mutex_);
  delay_ = by;
}

void Relay::Restore() {
  bool was_cut = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    is_stalled_ = false;
    delay_ = std::chrono::milliseconds(0);
    was_cut = is_cut_;
    changed_.notify_all();
  }
  if (was_cut) Listen();
}

}  // namespace warpbeam
