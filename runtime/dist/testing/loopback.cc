#include "runtime/dist/testing/loopback.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <list>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {

LoopbackSocket::LoopbackSocket() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
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
