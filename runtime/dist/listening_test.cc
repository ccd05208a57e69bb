#include "runtime/dist/listening.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpbeam {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// A socket of the loopback's first address, which others do not share.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { Close(); }
  void Close() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }
  int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

TEST(ListeningTest, APortThatIsTaken) {
  Listener other;
  for (const std::string host : {"localhost", "127.0.0.1", "0.0.0.0"}) {
    const absl::Status status = CheckCanListen(host, other.port());
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << host;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("cannot listen on ", host, ":", other.port(), ": ")));
    EXPECT_THAT(std::string(status.message()),
                AnyOf(HasSubstr(absl::StrCat("process ", getpid(), " (")),
                      HasSubstr("another process listens there")));
  }
  other.Close();
  for (const char* host : {"localhost", "127.0.0.1", "0.0.0.0", "[::]"}) {
    EXPECT_TRUE(CheckCanListen(host, other.port()).ok()) << host;
  }
}

TEST(ListeningTest, AddressesOfOthers) {
  for (const char* host : {"192.0.2.1", "no.such.host.invalid"}) {
    const absl::Status status = CheckCanListen(host, 0);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << host;
    EXPECT_THAT(std::string(status.message()), HasSubstr(host));
  }
}

TEST(ListeningTest, TasksOfTheLoopbackStayThere) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3"}) {
    EXPECT_TRUE(IsLoopback(host));
    EXPECT_EQ(ListeningHost(host), host);
  }
  EXPECT_EQ(ListeningHost("::1"), "[::1]");
  for (const char* host : {"node1", "10.0.0.1", "fe80::1", "localhost.example"}) {
    EXPECT_FALSE(IsLoopback(host));
    EXPECT_EQ(ListeningHost(host), "[::]");
  }
}

}  // namespace
}  // namespace warpbeam
