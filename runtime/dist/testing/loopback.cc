#include "runtime/dist/testing/loopback.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <list>
#include <random>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {

namespace {

// Below those that a connection of somebody else's may get as its own end meanwhile.
constexpr int kFirstPort = 10000, kLastPort = 32000;

}  // namespace

LoopbackSocket::LoopbackSocket() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::random_device random;
  std::uniform_int_distribution<int> ports(kFirstPort, kLastPort);
  for (int tries = 0; tries < 100; ++tries) {
    port_ = ports(random);
    address.sin_port = htons(static_cast<uint16_t>(port_));
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return;
  }
  ADD_FAILURE() << "a hundred ports are taken";
}

void LoopbackSocket::Listen(int backlog) { EXPECT_EQ(listen(socket_, backlog), 0); }

void LoopbackSocket::Close() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

std::vector<std::string> FreeAddresses(int count) {
  std::list<LoopbackSocket> held;  // together, so that no port comes twice
  std::vector<std::string> addresses;
  for (int i = 0; i < count; ++i) {
    addresses.push_back(absl::StrCat("localhost:", held.emplace_back().port()));
  }
  return addresses;
}

int FreePort() { return LoopbackSocket().port(); }

}  // namespace warpbeam
