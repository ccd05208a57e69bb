#include "runtime/dist/testing/loopback.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <list>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace warpbeam {

namespace {

// Below those that a connection of somebody else's may get as its own end meanwhile. A process
// takes its own hundred of them, so that tests side by side do not find the same one free.
constexpr int kFirstPort = 10000, kBlocks = 220, kBlockPorts = 100;

int NextPort() {
  static std::atomic<unsigned> next{0};
  struct stat names = {};  // processes in other name spaces may have the same number
  stat("/proc/self/ns/pid", &names);
  const auto block =
      (static_cast<unsigned>(getpid()) + static_cast<unsigned>(names.st_ino)) % kBlocks;
  return kFirstPort + static_cast<int>(block * kBlockPorts + next++ % kBlockPorts);
}

}  // namespace

LoopbackSocket::LoopbackSocket() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int tries = 0; tries < kBlockPorts; ++tries) {
    port_ = NextPort();
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
